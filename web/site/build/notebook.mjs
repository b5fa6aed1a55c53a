// The playground as a page: a Markdown file whose blocks of TypeScript become cells, and the text after each its output.

import { highlight } from "../highlight.js";
import { escape } from "./layout.mjs";

function cell(number, code, output) {
  return `<section class="cell" data-cell="${number}" aria-label="Cell ${number}">
<div class="editor"><pre class="under" aria-hidden="true"><code>${highlight(code, "ts")}\n</code></pre>
<textarea aria-label="Code of cell ${number}" spellcheck="false" autocapitalize="off" autocomplete="off" rows="${code.split("\n").length}">
${escape(code)}</textarea></div>
<div class="bar"><button type="button" class="small run" aria-label="Run cell ${number}">Run</button>
<button type="button" class="small plain both" aria-label="Time on both devices, cell ${number}">Time on both</button>
<button type="button" class="small plain reset" aria-label="Reset cell ${number}" hidden>Reset</button>
<span class="times"></span></div>
<pre class="output" role="status" aria-label="Output of cell ${number}" tabindex="0">${output.startsWith("TamisError: ") ? `<span class="error">${escape(output)}</span>` : escape(output)}</pre>
</section>`;
}

/** The cells of a notebook: {code, output}, and the prose between them. */
export function parts(markdown, { lexer }) {
  const found = [];
  for (const token of lexer(markdown)) {
    if (token.type === "code" && token.lang === "ts") found.push({ code: token.text, output: "" });
    else if (token.type === "code" && token.lang === "text" && found.at(-1)?.code) found.at(-1).output = token.text;
    else found.push({ token });
  }
  return found;
}

export function makeNotebook(markdown, marked) {
  let cells = 0;
  const slug = (text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
  const links = [];
  const body = parts(markdown, marked).map(({ token, code, output }) => {
    if (code !== undefined) return cell(++cells, code, output);
    if (token.type === "heading" && token.depth === 2) {
      links.push(`<li><a href="#${slug(token.text)}">${escape(token.text)}</a></li>`);
      return `<h2 id="${slug(token.text)}">${marked.parseInline(token.text)}</h2>`;
    }
    return marked.parser([token]);
  });
  const [title, ...rest] = body;
  const html = `<main id="main" class="playground">
${title}
<p class="lead">Masking in TypeScript, with the library that runs on this page. Change the code, and run it with the button or with
Ctrl + Enter. Each cell stands by itself; <code>torch</code> and <code>print</code> are there.</p>
<nav class="sections" aria-label="Sections"><ul class="chips">${links.join("")}</ul></nav>
<div class="tools" role="group" aria-label="Notebook">
<div class="group" role="group" aria-label="Device"><button type="button" class="small" id="device-cpu" aria-pressed="true">CPU</button><button type="button" class="small" id="device-webgpu" aria-pressed="false">WebGPU</button></div>
<button type="button" class="small main" id="run-all">Run all</button>
<button type="button" class="small" id="stop" disabled>Stop</button>
<span id="state" role="status" class="note"></span>
</div>
${rest.join("\n")}
</main>`;
  return { html, cells };
}
