/** What can be done with a message of the chosen phone: one menu for each bubble. */

import { buildMenuButton } from "./menu.js";
import { say } from "./words.js";

const emojis = ["👍", "❤️", "😂", "😮", "😢", "🙏"];
/** Of the words that the menu is named after. */
const namedCharacters = 40;

/**
 * The menu of a message that was sent: the customer reacts, the company edits or deletes it through the
 * product's API.
 *
 * @param {object} message a record of the simulator
 * @param {string} words by which people know it
 */
export function buildSentActions({ providerMessageId, text }, words) {
  const path = pathOf(providerMessageId);
  return buildActions(words, (dispatch) => [
    ...listReactions(providerMessageId, dispatch),
    ...(text === null ? [] : [{
      words: say("Edit by the API"),
      act: () =>
        askWords(
          text,
          (message) => dispatch("ask-api", { path, method: "PATCH", body: { message } }),
        ),
    }]),
    {
      words: say("Delete by the API"),
      act: () => dispatch("ask-api", { path, method: "DELETE", query: { for: "everyone" } }),
    },
  ]);
}

/**
 * The menu of a message that a person wrote: the customer reacts, its author edits it or deletes it for
 * everyone, and the company marks a customer's as read, with typing shown.
 *
 * @param {object} reply a record of the simulator
 * @param {string} words by which people know it
 */
export function buildWrittenActions(reply, words) {
  const { provider, instance, providerMessageId, content, writtenBy } = reply;
  const target = { provider, instance, providerMessageId };
  // A choice and a part without words stay as they are.
  const isWordless = content.title !== undefined || content.messageType === "none";
  return buildActions(words, (dispatch) => {
    const change = (path, fields) =>
      dispatch("change-message", { path, fields: { ...target, ...fields } });
    return [
      ...listReactions(providerMessageId, dispatch),
      ...(isWordless ? [] : [{
        words: say("Edit"),
        act: () => askWords(content.text ?? "", (text) => change("edits", { text })),
      }]),
      { words: say("Delete"), act: () => change("deletions", {}) },
      ...(writtenBy !== "customer" ? [] : [{
        words: say("Read by the API"),
        act: () =>
          dispatch("ask-api", {
            path: `${pathOf(providerMessageId)}/read`,
            method: "POST",
            body: { typing: true },
          }),
      }]),
    ];
  });
}

/** The forms below the chat hear what is chosen, because its events bubble up from the button. */
function buildActions(words, listEntries) {
  const name = words.length > namedCharacters ? `${words.slice(0, namedCharacters)}…` : words;
  const label = name === "" ? say("Actions") : say("Actions: {words}", { words: name });
  const button = buildMenuButton(label, () =>
    listEntries((type, detail) => {
      button.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
    }));
  return button;
}

function listReactions(providerMessageId, dispatch) {
  const react = (emoji) => dispatch("reply", { parts: { reaction: { providerMessageId, emoji } } });
  return [
    ...emojis.map((emoji) => ({
      words: emoji,
      label: say("React {emoji}", { emoji }),
      group: say("React"),
      act: () => react(emoji),
    })),
    { words: say("Take the reaction back"), act: () => react(null) },
  ];
}

function askWords(former, use) {
  const words = prompt(say("The new words"), former)?.trim();
  if (words) use(words);
}

function pathOf(providerMessageId) {
  return `messages-api/messages/${encodeURIComponent(providerMessageId)}`;
}
