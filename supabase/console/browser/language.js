import { find } from "./dom.js";
import { language, languages, rememberLanguage } from "./words.js";

/** The switch of the console's language. The page is loaded anew, because its texts were translated once. */
export function createLanguageSwitch() {
  const choice = find("language");
  choice.value = language;
  // After a reload a browser may restore what was chosen before.
  choice.autocomplete = "off";
  choice.addEventListener("change", () => {
    if (!languages.includes(choice.value)) return;
    rememberLanguage(choice.value);
    location.reload();
  });
}
