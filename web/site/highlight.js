// Colours for code, by a few rules per language. Used when pages are made, and by the playground while one types.

const keywords = {
  cpp: "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend if inline int int64_t long mutable namespace new noexcept nullptr operator override private protected public return short signed sizeof static static_cast struct switch template this throw true try typedef typename uint8_t union unsigned using virtual void volatile while",
  python:
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield",
  ts: "any as async await boolean break case catch class const continue default delete do else export extends false finally for from function if implements import in instanceof interface let new null number of readonly return string switch this throw true try type typeof undefined using void while yield",
  sh: "case do done elif else esac export fi for function if in then while cd echo sudo",
  cmake: "",
};
const alias = {
  c: "cpp",
  "c++": "cpp",
  py: "python",
  js: "ts",
  javascript: "ts",
  typescript: "ts",
  mjs: "ts",
  html: "ts",
  bash: "sh",
  console: "sh",
  shell: "sh",
};

const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source;
const templates = /`(?:[^`\\]|\\[\s\S])*`/.source;
const slashes = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;
const hashes = /#[^\n]*/.source;
const number = /\b(?:0[xX][0-9a-fA-F]+|\d[\d_']*(?:\.\d*)?(?:[eE][+-]?\d+)?[fnuUlL]*)\b/.source;
const name = /[A-Za-z_$][\w$]*/.source;

const rules = {
  cpp: [slashes, `${/^[ \t]*#[^\n]*/.source}|${text}`],
  python: [hashes, `"""[\\s\\S]*?"""|${text}`],
  ts: [slashes, `${text}|${templates}`],
  sh: [/(?<=^|\s)#[^\n]*/.source, text],
  cmake: [hashes, text],
};

const escaped = (code) => code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** HTML of the code; of a language that is not known, just the text. */
export function highlight(code, language) {
  const which = alias[language] ?? language;
  if (!rules[which]) return escaped(code);
  const words = new Set(keywords[which].split(" "));
  const [notes, texts] = rules[which];
  const pattern = new RegExp(`(${notes})|(${texts})|(${number})|(${name})`, "gm");
  let html = "";
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [all, isNote, isText, isNumber] = match;
    const isCall = code[match.index + all.length] === "(";
    const kind = isNote
      ? "note"
      : isText
        ? "text"
        : isNumber
          ? "number"
          : words.has(all)
            ? "key"
            : isCall
              ? "name"
              : null;
    html += escaped(code.slice(at, match.index));
    html += kind ? `<span class="tok-${kind}">${escaped(all)}</span>` : escaped(all);
    at = match.index + all.length;
  }
  return html + escaped(code.slice(at));
}
