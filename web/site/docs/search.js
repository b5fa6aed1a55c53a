// Search in the documentation: headings and the text below them, from an index that is made with the pages.

const input = document.querySelector("#search");
const list = document.querySelector("#found");
const count = document.querySelector("#found-count");
const most = 30;

let index = null;

/** How well a section answers the words; 0 is not at all. */
function score(entry, words) {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title === word) sum += 100;
    else if (title.startsWith(word)) sum += 40;
    else if (title.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) sum += 30;
    else if (title.includes(word)) sum += 15;
    else if (text.includes(word)) sum += 4;
    else return 0;
  }
  return sum - title.length / 100;
}

function show(entries, words) {
  list.replaceChildren(
    ...entries.map((entry) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = entry.url;
      const title = document.createElement("strong");
      title.textContent = entry.title;
      const where = document.createElement("span");
      where.textContent = entry.page;
      const text = document.createElement("small");
      text.textContent = entry.text.slice(0, 110);
      link.append(title, where, text);
      item.append(link);
      return item;
    }),
  );
  list.hidden = words.length === 0;
  count.textContent = words.length === 0 ? "" : entries.length === 0 ? "Nothing found" : `${entries.length} found`;
  if (words.length && entries.length === 0) {
    const item = document.createElement("li");
    item.className = "nothing";
    item.textContent = "Nothing found";
    list.append(item);
  }
}

async function search() {
  index ??= fetch(new URL("index.json", import.meta.url)).then((response) => {
    if (!response.ok) throw new Error(`the index cannot be loaded: ${response.status}`);
    return response.json();
  });
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let entries;
  try {
    entries = await index;
  } catch (error) {
    index = null;
    count.textContent = error.message;
    return;
  }
  const found =
    words.length === 0
      ? []
      : entries.map((entry) => ({ entry, score: score(entry, words) })).filter(({ score }) => score > 0);
  found.sort((a, b) => b.score - a.score);
  show(
    found.slice(0, most).map(({ entry }) => entry),
    words,
  );
}

input.addEventListener("input", search);
input.addEventListener("focus", () => input.value && search());

/** The arrow keys go through the results, escape leaves them. */
document.querySelector("search").addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape") {
    input.value = "";
    search();
    input.focus();
  } else if (event.key === "ArrowDown") {
    links[Math.min(at + 1, links.length - 1)]?.focus();
  } else if (event.key === "ArrowUp") {
    (at > 0 ? links[at - 1] : input).focus();
  } else if (event.key === "Enter" && at < 0) {
    links[0]?.click();
  } else {
    return;
  }
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
