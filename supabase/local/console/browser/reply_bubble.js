import { build, buildLink } from "./dom.js";
import { formatInstant, formatTime } from "./format.js";
import { say } from "./words.js";

/**
 * What a person wrote: the customer, on this phone, or somebody on the company's own.
 *
 * @param {object} reply a record of the simulator
 */
export function buildReplyBubble(reply) {
  const { content, writtenBy, receivedAt } = reply;
  const isCustomer = writtenBy === "customer";
  return build(
    "li",
    { class: isCustomer ? "bubble own" : "bubble", "data-seq": String(reply.seq) },
    content.mediaUrl === undefined ? null : build("p", {}, buildLink(content.mediaUrl)),
    build("p", { class: "text", dir: "auto" }, summarizeReply(reply)),
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

/** What was written, in one line. */
export function summarizeReply({ content }) {
  return content.title ?? content.text ?? `[${content.messageType}]`;
}
