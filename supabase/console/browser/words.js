import { portuguese } from "./portuguese.js";

/** The browser's locale, which formats times and dates whatever the language of the texts. */
export const locale = navigator.language || "en";

const dictionaries = { pt: portuguese };
/** The language of the texts: the browser's if there is a dictionary, else English. */
const language = locale.split("-")[0].toLowerCase();
const dictionary = dictionaries[language] ?? {};

/**
 * Translates a sentence of the console into the browser's language. The English text is its key.
 *
 * @param {string} text with `{name}` where a value stands
 * @param {Record<string, string | number>} [values]
 */
export function say(text, values = {}) {
  const words = dictionary[text] ?? text;
  return words.replace(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}

const translatedAttributes = ["placeholder", "aria-label"];

/** Translates the page's own texts, which arrive in English. */
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
