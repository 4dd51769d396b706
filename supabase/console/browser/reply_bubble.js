import { build } from "./dom.js";
import { formatInstant, formatTime } from "./format.js";
import { summarizeMedia } from "./media_summary.js";
import { buildWrittenActions } from "./message_actions.js";
import { buildMedia } from "./message_bubble.js";
import { buildParts, summarizeParts } from "./part_view.js";
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
      isCustomer ? null : build("span", { class: "badge" }, say("Typed on the company's phone")),
      build("span", { hidden: "", "data-receipt-of": reply.providerMessageId }),
      build("span", { class: "reaction", "data-reaction-to": reply.providerMessageId }),
      build(
        "time",
        { datetime: receivedAt, title: formatInstant(receivedAt) },
        formatTime(receivedAt),
      ),
      buildWrittenActions(reply, summarizeReply(reply)),
    ),
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
    buildMark(bubble);
  mark.textContent = change === "edited" ? say("edited") : say("deleted for everyone");
}

function buildMark(bubble) {
  const mark = build("span", { class: "mark" });
  bubble.querySelector(".foot").prepend(mark);
  return mark;
}

/** A one-line summary of the reply. */
export function summarizeReply(reply) {
  const { content } = reply;
  return summarizeMedia(content) ?? content.title ?? content.text ?? summarizeParts(reply);
}
