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
    { class: isCustomer ? "bubble own" : "bubble", "data-seq": String(reply.seq) },
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
    ),
  );
}

/** A one-line summary of the reply. */
export function summarizeReply({ content }) {
  return summarizeMedia(content) ?? content.title ?? content.text;
}
