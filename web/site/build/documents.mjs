// The documentation: README.md, docs/*.md and whatever they link to, as pages with working links, and an index to search.
// A link that leads nowhere ends the build.

import { existsSync, readFileSync, statSync } from "node:fs";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, posix } from "node:path";

import { highlight } from "../highlight.js";
import { escape, page } from "./layout.mjs";

// In this order in the list of pages; others follow by name.
const order = [
  "README.md",
  "docs/cookbook.md",
  "docs/reference.md",
  "docs/javascript.md",
  "docs/python.md",
  "docs/porting.md",
  "docs/command-line.md",
  "docs/cluster.md",
  "docs/devices.md",
  "docs/performance.md",
  "docs/differences.md",
  "docs/design.md",
  "CHANGELOG.md",
  "HACKING.md",
];
const names = { "README.md": "Introduction", "HACKING.md": "Hacking" };
const languages = { ".cpp": "cpp", ".h": "cpp", ".py": "python", ".js": "ts", ".mjs": "ts", ".ts": "ts", ".sh": "sh" };

/** As GitHub makes the anchors of headings. */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

/** Where the page of a file lies, from docs/ on. */
function urlOf(path) {
  if (path === "README.md") return "index.html";
  if (!path.endsWith(".md")) return extname(path) === ".svg" ? basename(path) : `${path.replaceAll("/", "-")}.html`;
  const name = path
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replaceAll("/", "-");
  return `${name === "README" ? "index" : name}.html`;
}

/** A Markdown file as HTML, with its headings and links. */
class Document {
  constructor(root, path, marked) {
    this.path = path;
    this.url = urlOf(path);
    this.headings = []; // {level, text, id}
    this.links = []; // {path, anchor}: files of the project
    this.sections = []; // {id, text}, to search
    this.root = root;
    this.html = this.#render(marked);
    this.title = names[path] ?? this.headings[0]?.text ?? path;
  }

  #render({ Marked }) {
    const self = this;
    const seen = new Map();
    const marked = new Marked({
      gfm: true,
      renderer: {
        heading({ tokens, depth }) {
          const html = this.parser.parseInline(tokens);
          const text = plain(html);
          const base = slug(text);
          const times = seen.get(base) ?? 0;
          seen.set(base, times + 1);
          const id = times ? `${base}-${times}` : base;
          self.headings.push({ level: depth, text, id });
          const mark = depth > 1 ? ` <a class="mark" href="#${id}" aria-label="Link to ${escape(text)}">#</a>` : "";
          return `<h${depth} id="${id}">${html}${mark}</h${depth}>\n`;
        },
        code({ text, lang }) {
          const language = (lang ?? "").split(/\s/)[0];
          return `<pre tabindex="0"><code>${highlight(text, language)}</code></pre>\n`;
        },
        table({ header, rows }) {
          const cells = (row, tag) =>
            row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("");
          const hasHead = header.some(({ text }) => text !== "");
          const head = hasHead ? `<thead><tr>${cells(header, "th")}</tr></thead>` : "";
          const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
          return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
        },
        link({ href, tokens }) {
          return `<a href="${escape(self.#target(href))}">${this.parser.parseInline(tokens)}</a>`;
        },
        image({ href, text }) {
          return `<img src="${escape(self.#target(href))}" alt="${escape(text)}">`;
        },
      },
    });
    return marked.parse(readFileSync(join(this.root, this.path), "utf8"));
  }

  /** The address on the site of what a link in this file leads to. */
  #target(href) {
    if (/^[a-z]+:/.test(href)) return href;
    const [file, anchor] = href.split("#");
    const path = file === "" ? this.path : posix.normalize(posix.join(dirname(this.path), file));
    this.links.push({ path, anchor, href });
    const url = file === "" ? "" : urlOf(path);
    return anchor === undefined ? url : `${url}#${anchor}`;
  }
}

const plain = (html) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Reads the documents, beginning with these, and all that they lead to. */
function collect(root, first, marked) {
  const documents = new Map();
  const others = new Set();
  const open = [...first];
  while (open.length) {
    const path = open.shift();
    if (documents.has(path)) continue;
    const document = new Document(root, path, marked);
    documents.set(path, document);
    for (const link of document.links) {
      if (!existsSync(join(root, link.path))) throw new Error(`${path}: the link ${link.href} leads to no file`);
      if (statSync(join(root, link.path)).isDirectory())
        throw new Error(`${path}: the link ${link.href} leads to a folder`);
      if (link.path.endsWith(".md")) open.push(link.path);
      else others.add(link.path);
    }
  }
  for (const document of documents.values()) {
    for (const { path, anchor, href } of document.links) {
      const isThere = !anchor || documents.get(path)?.headings.some(({ id }) => id === anchor);
      if (!isThere) throw new Error(`${document.path}: the link ${href} leads to no heading of ${path}`);
    }
  }
  return { documents: [...documents.values()], others: [...others] };
}

function contents(document) {
  const deep = document.headings.filter(({ level }) => level === 2 || level === 3);
  if (deep.length < 3) return "";
  const link = ({ text, id }) => `<a href="#${id}">${escape(text)}</a>`;
  const groups = []; // a heading, and those below it
  for (const heading of deep) {
    if (heading.level === 2) groups.push({ heading, below: [] });
    else groups.at(-1)?.below.push(heading);
  }
  // Hundreds of functions are folded.
  const folded = (below) =>
    `<details><summary>${below.length} below</summary><ul>${below.map((one) => `<li>${link(one)}</li>`).join("")}</ul></details>`;
  const html = groups
    .map(({ heading, below }) => `<li>${link(heading)}${below.length ? folded(below) : ""}</li>`)
    .join("");
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${html}</ul></nav>`;
}

function frame(documents, { title, path, html, aside = "" }) {
  const list = documents
    .filter((d) => order.includes(d.path) || d.path.startsWith("docs/"))
    .map((d) => `<li><a href="${d.url}"${d.path === path ? ' aria-current="page"' : ""}>${escape(d.title)}</a></li>`)
    .join("");
  return page({
    title: `${title} - Tamis`,
    description: `${title}: documentation of Tamis, a library for masking tensors`,
    active: "docs",
    root: "../",
    head: '<link rel="stylesheet" href="../docs.css">\n<script type="module" src="../docs/search.js"></script>',
    body: `<div class="docs">
<aside class="pages" aria-label="Documentation">
<search><label for="search">Search the documentation</label>
<input type="search" id="search" autocomplete="off" spellcheck="false" placeholder="masked_select" aria-controls="found" aria-describedby="search-help">
<p class="only-read" id="search-help">Results appear below while you type; the arrow keys go through them.</p>
<p class="only-read" role="status" id="found-count"></p>
<ul id="found" hidden></ul></search>
<nav aria-label="Pages"><ul>${list}</ul></nav>
</aside>
<main id="main" class="document">${html}</main>
${aside}
</div>`,
  });
}

/** The text below each heading, for the search. */
function* sections(document) {
  const parts = document.html.split(/(?=<h[123] id=)/);
  for (const part of parts) {
    const head = part.match(/^<h([123]) id="([^"]*)">(.*?)<\/h\1>/s);
    if (!head) continue;
    const title = plain(head[3].replace(/<a class="mark".*$/s, "")).trim();
    const text = plain(part.slice(head[0].length)).replace(/\s+/g, " ").trim();
    yield {
      title,
      page: document.title,
      url: `${document.url}${head[1] === "1" ? "" : `#${head[2]}`}`,
      text: text.slice(0, 220),
    };
  }
}

/** Writes all pages into a folder; how many. */
export async function makeDocuments(root, folder, marked) {
  await mkdir(folder, { recursive: true });
  const own = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  const first = [
    ...order.filter((path) => existsSync(join(root, path))),
    ...own.filter((path) => !order.includes(path)).sort(),
  ];
  const { documents, others } = collect(root, first, marked);
  for (const document of documents) {
    const { title, path, html } = document;
    await writeFile(join(folder, document.url), frame(documents, { title, path, html, aside: contents(document) }));
  }
  for (const path of new Set([...others, "LICENSE"])) {
    const target = join(folder, urlOf(path));
    if (extname(path) === ".svg") {
      await copyFile(join(root, path), target);
      continue;
    }
    const code = highlight(readFileSync(join(root, path), "utf8"), languages[extname(path)]);
    const html = `<h1>${escape(path)}</h1>\n<pre tabindex="0"><code>${code}</code></pre>`;
    await writeFile(target, frame(documents, { title: path, path, html }));
  }
  const index = documents.flatMap((document) => [...sections(document)]);
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
  return documents.length + others.length;
}
