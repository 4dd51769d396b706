import { build } from "./dom.js";
import { say } from "./words.js";

/**
 * A button that asks the product's API for something about a message of this phone. The form below the chat
 * makes the call, and tells what came of it.
 *
 * @param {string} words
 * @param {() => ({path: string, method: string, body?: object, query?: object} | null)} describeCall null
 * where nothing is asked
 */
export function buildApiButton(words, describeCall) {
  const button = build("button", { type: "button", class: "quiet" }, words);
  button.addEventListener("click", () => {
    const detail = describeCall();
    if (detail !== null) {
      button.dispatchEvent(new CustomEvent("ask-api", { bubbles: true, detail }));
    }
  });
  return button;
}

/** The buttons by which the company changes a message that it has sent. */
export function buildSentButtons({ providerMessageId, text }) {
  const path = pathOf(providerMessageId);
  return build(
    "span",
    { class: "changes" },
    text === null ? null : buildApiButton(say("Edit by the API"), () => {
      const message = prompt(say("The new words"), text)?.trim();
      return message ? { path, method: "PATCH", body: { message } } : null;
    }),
    buildApiButton(
      say("Delete by the API"),
      () => ({ path, method: "DELETE", query: { for: "everyone" } }),
    ),
  );
}

/** The button by which the company marks what the customer wrote as read, and shows typing. */
export function buildReadButton({ providerMessageId }) {
  return buildApiButton(
    say("Read by the API"),
    () => ({ path: `${pathOf(providerMessageId)}/read`, method: "POST", body: { typing: true } }),
  );
}

function pathOf(providerMessageId) {
  return `messages-api/messages/${encodeURIComponent(providerMessageId)}`;
}
