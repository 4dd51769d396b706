import { buildReadButton } from "./api_buttons.js";
import { build } from "./dom.js";
import { formatInstant, formatTime } from "./format.js";
import { summarizeMedia } from "./media_summary.js";
import { buildMedia } from "./message_bubble.js";
import { buildParts, buildReactions, summarizeParts } from "./part_view.js";
import { say } from "./words.js";

/**
 * A message that a person wrote: the customer on this phone, or an employee on the company's.
 *
 * @param {object} reply a record of the simulator
 */
export function buildReplyBubble(reply) {
  const { content, writtenBy, receivedAt } = reply;
  const isCustomer = writtenBy === "customer";
  const words = content.title ?? content.text ?? null;
  return build(
    "li",
    {
      class: isCustomer ? "bubble own" : "bubble",
      "data-seq": String(reply.seq),
      "data-message": reply.providerMessageId,
    },
    content.mediaUrl === undefined ? null : buildMedia(content),
    words === null ? null : build("p", { class: "text", dir: "auto" }, words),
    ...buildParts(reply),
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
      build("span", { class: "badge", hidden: "", "data-receipt-of": reply.providerMessageId }),
      buildChanges(reply),
      buildReactions(reply.providerMessageId),
      isCustomer ? buildReadButton(reply) : null,
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
  // A choice and a part without words stay as they are.
  const isWordless = content.title !== undefined || content.messageType === "none";
  return build(
    "span",
    { class: "changes", "data-changes-of": providerMessageId },
    isWordless ? null : edit,
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
export function summarizeReply(reply) {
  const { content } = reply;
  return summarizeMedia(content) ?? content.title ?? content.text ?? summarizeParts(reply);
}
