import { build } from "./dom.js";
import { formatInstant, formatTime } from "./format.js";
import { summarizeMedia } from "./media_summary.js";
import { buildMedia } from "./message_bubble.js";
import { say } from "./words.js";

/**
 * A message that a person wrote: the customer on this phone, or an employee on the company's.
 *
 * @param {object} reply a record of the simulator
 */
export function buildReplyBubble(reply) {
  const { content, writtenBy, receivedAt } = reply;
  const isCustomer = writtenBy === "customer";
  return build(
    "li",
    {
      class: isCustomer ? "bubble own" : "bubble",
      "data-seq": String(reply.seq),
      "data-message": reply.providerMessageId,
    },
    content.mediaUrl === undefined ? null : buildMedia(content),
    content.mediaUrl !== undefined && content.text === null
      ? null
      : build("p", { class: "text", dir: "auto" }, content.title ?? content.text),
    build(
      "p",
      { class: "foot" },
      build(
        "span",
        { class: "badge" },
        isCustomer ? say("Customer") : say("Typed on the company's phone"),
      ),
      build(
        "time",
        { datetime: receivedAt, title: formatInstant(receivedAt) },
        formatTime(receivedAt),
      ),
      buildChanges(reply),
    ),
  );
}

/** The buttons by which the author edits the message, or deletes it for everyone. */
function buildChanges({ provider, instance, providerMessageId, content }) {
  const change = (path, fields) =>
    new CustomEvent("change-message", {
      bubbles: true,
      detail: { path, fields: { provider, instance, providerMessageId, ...fields } },
    });
  const edit = build("button", { type: "button", class: "quiet" }, say("Edit"));
  edit.addEventListener("click", () => {
    const text = prompt(say("The new words"), content.text ?? "")?.trim();
    if (text) edit.dispatchEvent(change("edits", { text }));
  });
  const remove = build("button", { type: "button", class: "quiet" }, say("Delete"));
  remove.addEventListener("click", () => remove.dispatchEvent(change("deletions", {})));
  const isChoice = content.title !== undefined;
  return build(
    "span",
    { class: "changes", "data-changes-of": providerMessageId },
    isChoice ? null : edit,
    remove,
  );
}

/**
 * Shows what its author has changed of a message.
 *
 * @param {HTMLElement} bubble
 * @param {{change: "edited" | "deleted", text: string | null}} change
 */
export function showChange(bubble, { change, text }) {
  const words = bubble.querySelector(".text");
  if (text !== null && words !== null) words.textContent = text;
  bubble.dataset.change = change;
  const mark = bubble.querySelector(".mark") ??
    bubble.querySelector(".foot").appendChild(build("span", { class: "badge mark" }));
  mark.textContent = change === "edited" ? say("edited") : say("deleted for everyone");
}

/** A one-line summary of the reply. */
export function summarizeReply({ content }) {
  return summarizeMedia(content) ?? content.title ?? content.text;
}
