// The frame that all pages have: head, navigation, foot.

export const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const logo = `<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true"><circle cx="13" cy="13" r="11.5" fill="none" stroke="currentColor" stroke-width="2"/>${[
  8, 13, 18,
]
  .flatMap((y) => [8, 13, 18].map((x) => [x, y]))
  .map(
    ([x, y]) =>
      `<circle cx="${x}" cy="${y}" r="${(x + y) % 3 === 0 ? 2 : 1.3}" fill="${(x + y) % 3 === 0 ? "var(--kept)" : "var(--line-strong)"}"/>`,
  )
  .join("")}</svg>`;

const sun = `<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><path d="M10 3a7 7 0 1 0 0 14z" fill="currentColor"/><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6"/></svg>`;

const places = [
  ["explore", "Explore", "index.html"],
  ["playground", "Playground", "playground.html"],
  ["docs", "Documentation", "docs/index.html"],
];

/**
 * A whole page. `root` is the way from the page to the folder of the site, such as "../"; `head` is for styles and scripts
 * of its own.
 */
export function page({ title, description, active, root = "", head = "", body }) {
  const links = places
    .map(
      ([id, text, url]) => `<li><a href="${root}${url}"${id === active ? ' aria-current="page"' : ""}>${text}</a></li>`,
    )
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' blob: data:; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'">
<title>${escape(title)}</title>
<meta name="description" content="${escape(description)}">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}style.css">
<script src="${root}theme.js"></script>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="head"><div class="head-row">
<a class="logo" href="${root}index.html">${logo}Tamis</a>
<nav aria-label="Site"><ul>${links}</ul></nav>
<button type="button" class="plain small theme">${sun}</button>
</div></header>
${body}
<footer class="foot">Tamis masks tensors: it selects, fills, counts and reduces their elements by a condition. Everything on
these pages runs in your browser; files never leave it. <a href="${root}docs/LICENSE.html">BSD-3-Clause</a>.</footer>
</body>
</html>
`;
}
