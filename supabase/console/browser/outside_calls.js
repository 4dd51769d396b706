/** Entries of what the simulated outside was sent: e-mails and questions to the model. */

import { buildTime } from "./activity.js";
import { build, buildLink } from "./dom.js";
import { faultNames } from "./simulated_names.js";
import { say } from "./words.js";

/** @param {object} email */
export function buildEmail(email) {
  return build(
    "li",
    { class: "row" },
    build(
      "details",
      { class: "entry" },
      build(
        "summary",
        {},
        build("span", { class: "grow strong", dir: "auto" }, email.subject),
        buildTime(email),
        build(
          "small",
          { class: "whole" },
          say("to {recipients}", { recipients: email.to.join(", ") }),
        ),
      ),
      buildLost(email),
      ...buildEmailBody(email),
      build(
        "dl",
        { class: "facts" },
        build("dt", {}, say("From")),
        build("dd", {}, email.from),
        build("dt", {}, "Idempotency-Key"),
        build("dd", { class: "mono" }, email.idempotencyKey ?? say("none")),
      ),
    ),
  );
}

/** @param {object} call */
export function buildAiCall(call) {
  return build(
    "li",
    { class: "row" },
    build(
      "details",
      { class: "entry" },
      build(
        "summary",
        {},
        build("span", { class: "grow strong mono" }, call.model),
        buildTime(call),
        build("small", { class: "whole", dir: "auto" }, call.reply),
      ),
      buildLost(call),
      build(
        "dl",
        { class: "facts" },
        ...[...call.messages, { role: say("answer"), content: call.reply }].flatMap((message) => [
          build("dt", {}, message.role),
          build("dd", { class: "prose", dir: "auto" }, message.content),
        ]),
      ),
    ),
  );
}

/** Lists the text and the links of an e-mail. Parses an HTML body, but never renders it as HTML. */
function buildEmailBody(email) {
  const parsed = new DOMParser().parseFromString(dropStyles(email.html ?? ""), "text/html");
  for (const hidden of parsed.querySelectorAll("script, title")) hidden.remove();
  for (const block of parsed.querySelectorAll("p, div, br, tr, li, h1, h2, h3")) block.after("\n");
  const words = email.text ?? parsed.body.textContent.replace(/\s*\n\s*/g, "\n").trim();
  const links = [...parsed.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"));
  return [
    build("p", { class: "prose", dir: "auto" }, words),
    ...[...new Set(links)].map((link) => build("p", { class: "link" }, buildLink(link))),
  ];
}

/**
 * Removes styles: plain text does not need them, and the page's content security policy would
 * report each.
 */
function dropStyles(html) {
  return html.replace(/<style[^]*?<\/style>/gi, "").replace(/\sstyle=("[^"]*"|'[^']*')/gi, "");
}

function buildLost(record) {
  if (record.answer === "accepted") return null;
  const fault = faultNames[record.answer] ?? record.answer;
  return build(
    "p",
    { class: "lost" },
    say("Arrived, but the answer was spoiled: {fault}", { fault }),
  );
}
