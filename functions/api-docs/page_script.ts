/**
 * The page's own script: the search, and the viewer, which is loaded when a reader asks for it. It is plain
 * JavaScript, because it stands in the page.
 */
export const searchScript = `
const input = document.getElementById("search");
const list = document.getElementById("found");
const shownResults = 12;
const emptyWords = new Set(["a", "an", "the", "of", "to", "for", "in", "on", "with", "and", "or",
  "how", "do", "does", "i", "is", "not", "by", "my", "it", "what", "why"]);
let entries = null;
let found = [];
let active = -1;

const fold = (text) => text.toLowerCase().normalize("NFD").replace(/\\p{M}/gu, "");
const split = (text) => fold(text).split(/[^\\p{L}\\p{N}]+/u).filter((word) => word !== "");

/** Everything that can be found: operations, their examples and headings, events. Read at the first search. */
function readEntries() {
  const sections = [...document.querySelectorAll(".operation")].map((section) => {
    const title = section.querySelector("h3").textContent;
    const path = section.querySelector(".address code")?.textContent ?? "";
    const words = section.dataset.words + " " + path + " " + section.id.replace(/([A-Z])/g, " $1");
    return { anchor: section.id, title, of: path, words: split(words), text: section.textContent };
  });
  const examples = [...document.querySelectorAll(".example")].map((example) => {
    const title = example.querySelector("summary").textContent;
    const of = example.closest(".operation").querySelector("h3").textContent;
    return { anchor: example.id, title, of, words: split(example.id), text: example.textContent };
  });
  const headings = [...document.querySelectorAll("#text h4, .intro h2")].map((heading, index) => {
    heading.id ||= "heading-" + index;
    const of = heading.closest(".operation")?.querySelector("h3").textContent ?? "";
    return { anchor: heading.id, title: heading.textContent, of, words: [], text: "" };
  });
  const rows = [...document.querySelectorAll("tr[id]")].map((row) => {
    const [title, text] = [...row.cells].map((cell) => cell.textContent);
    return { anchor: row.id, title, of: "Event types", words: [], text };
  });
  return [...sections, ...examples, ...headings, ...rows].map((entry) => ({
    ...entry,
    titleWords: split(entry.title),
    textWords: new Set(split(entry.text)),
  }));
}

/** Singular and plural find each other. */
const stem = (word) => word.length > 3 ? word.replace(/(?:es|s)$/, "") : word;

function scoreWord(entry, word) {
  const begins = (one) => one.startsWith(stem(word));
  const isWord = (one) => stem(one) === stem(word);
  if (entry.titleWords.some(isWord)) return 12;
  if (entry.words.some(isWord)) return 9;
  if (entry.titleWords.some(begins)) return 8;
  if (entry.words.some(begins)) return 5;
  for (const one of entry.textWords) if (begins(one)) return 1;
  return 0;
}

/** Entries that have every word, those with it in the title first; without any, those with most words. */
function search(query) {
  entries ??= readEntries();
  const all = split(query);
  const words = all.filter((word) => !emptyWords.has(word));
  const wanted = words.length === 0 ? all : words;
  if (wanted.length === 0) return [];
  const scored = entries.map((entry) => {
    const scores = wanted.map((word) => scoreWord(entry, word));
    const missing = scores.filter((score) => score === 0).length;
    const isName = fold(entry.title) === fold(query.trim());
    return { entry, missing, score: scores.reduce((a, b) => a + b, isName ? 100 : 0) };
  }).filter(({ score }) => score > 0);
  const fewest = Math.min(...scored.map(({ missing }) => missing));
  return scored.filter(({ missing }) => missing === fewest)
    .sort((a, b) => b.score - a.score)
    .slice(0, shownResults).map(({ entry }) => entry);
}

function show() {
  found = search(input.value);
  active = found.length > 0 ? 0 : -1;
  const isEmpty = input.value.trim() === "";
  list.replaceChildren(...found.map((entry, index) => {
    const option = document.createElement("li");
    option.id = "found-" + index;
    option.role = "option";
    const title = document.createElement("b");
    title.textContent = entry.title;
    const of = document.createElement("small");
    of.textContent = entry.of;
    option.append(title, " ", of);
    option.addEventListener("mousedown", (event) => event.preventDefault());
    option.addEventListener("click", () => go(index));
    return option;
  }));
  document.getElementById("found-count").textContent = isEmpty ? "" :
    found.length === 0 ? "Nothing found." : found.length + " found.";
  setOpen(!isEmpty && found.length > 0);
  mark();
}

function setOpen(isOpen) {
  list.hidden = !isOpen;
  input.setAttribute("aria-expanded", String(isOpen));
}

function mark() {
  for (const [index, option] of [...list.children].entries()) {
    option.setAttribute("aria-selected", String(index === active));
    if (index === active) option.scrollIntoView({ block: "nearest" });
  }
  if (active < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", "found-" + active);
}

function go(index) {
  const { anchor } = found[index];
  setOpen(false);
  location.hash = anchor;
  const target = reveal();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** Opens what the address names, where it is folded. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView();
  return target;
}

input.addEventListener("input", show);
input.addEventListener("focus", () => setOpen(found.length > 0 && input.value.trim() !== ""));
input.addEventListener("blur", () => setOpen(false));
input.addEventListener("keydown", (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps && found.length > 0) {
    active = (active + steps[event.key] + found.length) % found.length;
    setOpen(true);
    mark();
  } else if (event.key === "Enter" && active >= 0) go(active);
  else if (event.key === "Escape") {
    input.value = "";
    show();
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  const isAsked = (event.key === "k" && (event.ctrlKey || event.metaKey)) ||
    (event.key === "/" && !isTyping);
  if (!isAsked || !input.isConnected) return;
  event.preventDefault();
  input.focus();
  input.select();
});
addEventListener("hashchange", reveal);
reveal();
`;
