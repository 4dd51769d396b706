import { portuguese } from "./portuguese.js";

/** The browser's own language decides about clock and dates, whatever the words are in. */
export const locale = navigator.language || "en";

const dictionaries = { pt: portuguese };
/** The language of the words: the browser's where there is a dictionary, else English. */
const language = locale.split("-")[0].toLowerCase();
const dictionary = dictionaries[language] ?? {};

/**
 * A sentence of the console in the browser's language. The English one is its key.
 *
 * @param {string} text with `{name}` where a value stands
 * @param {Record<string, string | number>} [values]
 */
export function say(text, values = {}) {
  const words = dictionary[text] ?? text;
  return words.replace(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}

const translatedAttributes = ["placeholder", "aria-label"];

/** Puts the page's own words, which are sent in English, into the browser's language. */
export function translatePage() {
  if (dictionaries[language] === undefined) return;
  document.documentElement.lang = locale;
  document.title = say(document.title);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const words = node.data.trim().replace(/\s+/g, " ");
    if (words !== "") node.data = node.data.replace(/\S[^]*\S|\S/, () => say(words));
  }
  for (const name of translatedAttributes) {
    for (const element of document.body.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, say(element.getAttribute(name)));
    }
  }
}
