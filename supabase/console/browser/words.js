/** The console's language: chosen by the switch and remembered, else the browser's. */

import { portuguese } from "./portuguese.js";

const dictionaries = { en: {}, pt: portuguese };
/** The languages of the texts, as the switch names them. */
export const languages = Object.keys(dictionaries);
/** What formats times and dates in a language that the browser is not set to. */
const usualLocales = { en: "en", pt: "pt-BR" };
const kept = "console-language";

const browserLocale = navigator.language || "en";
const browserLanguage = browserLocale.split("-")[0].toLowerCase();
const chosenLanguage = readChosen();

/** The language of the texts: the one that was chosen here; else the browser's, or English. */
export const language = chosenLanguage ??
  (languages.includes(browserLanguage) ? browserLanguage : "en");
/** What formats times and dates: the browser's locale, unless another language was chosen. */
export const locale = chosenLanguage === null || chosenLanguage === browserLanguage
  ? browserLocale
  : usualLocales[language];
const dictionary = dictionaries[language];

/** Null where nothing was chosen, and where the browser keeps nothing of pages. */
function readChosen() {
  try {
    const chosen = localStorage.getItem(kept);
    return languages.includes(chosen) ? chosen : null;
  } catch {
    return null;
  }
}

/** @param {string} chosen one of `languages` */
export function rememberLanguage(chosen) {
  localStorage.setItem(kept, chosen);
}

/**
 * Translates a sentence of the console into its language. The English text is its key.
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
  if (language === "en") return;
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
