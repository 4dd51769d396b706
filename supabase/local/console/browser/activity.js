import { build, buildLink, find, oncePerFrame } from "./dom.js";
import { faultNames, formatInstant, formatTime } from "./format.js";
import { say } from "./words.js";

const shownEntries = 50;

/**
 * A list of arrivals, newest first. Each entry expands to its whole content.
 *
 * @param {{list: string, count: string, note: string}} ids of the page's elements
 * @param {(record: object) => HTMLElement} buildEntry
 */
export function createActivity(ids, buildEntry) {
  let records = [];
  let total = 0;
  let drawnSeq = 0;

  const draw = oncePerFrame(() => {
    const list = find(ids.list);
    const fresh = records.filter((record) => record.seq > drawnSeq).reverse();
    list.prepend(...fresh.map(buildEntry));
    while (list.childElementCount > shownEntries) list.lastElementChild?.remove();
    drawnSeq = records.at(-1)?.seq ?? 0;
    find(ids.count).textContent = String(total);
    find(ids.note).hidden = total > 0;
  });

  return {
    add(record) {
      records.push(record);
      if (records.length > shownEntries) records.shift();
      total += 1;
      draw();
    },
    clear() {
      records = [];
      total = 0;
      // At once: records that are added before the next frame may have lower numbers.
      drawnSeq = 0;
      find(ids.list).replaceChildren();
      draw();
    },
  };
}

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

/** @param {{receivedAt: string}} record */
export function buildTime(record) {
  const instant = record.receivedAt;
  return build("time", { datetime: instant, title: formatInstant(instant) }, formatTime(instant));
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
