import { say } from "./words.js";

/**
 * Lets a button copy a text. It says on itself what became of it: a browser may refuse the clipboard, and has none
 * for a page that came by http from another machine.
 *
 * @param {HTMLElement} button
 * @param {() => string} read what to copy, asked for with each click
 */
export function copyOnClick(button, read) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = say("Copied");
    } catch {
      button.textContent = say("The browser refuses to copy");
    }
  });
}
