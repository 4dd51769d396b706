import { build, buildLink, find, isWebAddress } from "./dom.js";
import { say } from "./words.js";

/** The name of a part of a message, as the panel has it. */
export function namePart(name) {
  return find("part-names").querySelector(`[data-part="${name}"]`)?.textContent ?? name;
}

/** The parts of a reply that its bubble shows. */
export function buildParts({ parts = {}, providerMessageId }) {
  return Object.entries(parts).map(([name, part]) =>
    build(
      "div",
      { class: "part", "data-part": name },
      build("p", { class: "strong" }, namePart(name)),
      buildFacts(part),
      buildAnswers(name, part, providerMessageId),
    )
  );
}

/** A one-line summary of a reply without words: its first part, and the first of its facts. */
export function summarizeParts({ parts = {} }) {
  const [name] = Object.keys(parts);
  if (name === undefined) return "";
  const words = listFacts(parts[name]).map(([, value]) => String(value))
    .find((value) => /\p{L}/u.test(value));
  return words === undefined ? namePart(name) : `${namePart(name)}: ${words}`;
}

/** Every fact of the part, under the name that it has in the API. */
function buildFacts(part) {
  const facts = listFacts(part).filter(([, value]) => value !== true);
  return facts.length === 0 ? null : build(
    "dl",
    { class: "facts" },
    ...facts.flatMap(([path, value]) => [
      path === "" ? null : build("dt", {}, build("code", {}, path)),
      build("dd", { dir: "auto" }, isWebAddress(String(value)) ? buildLink(value) : String(value)),
    ]),
  );
}

function listFacts(value, path = []) {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [[path.join("."), value]];
  return Object.entries(value).flatMap(([name, inner]) => listFacts(inner, [...path, name]));
}

/** What the customer can answer to a poll or an event. */
function buildAnswers(name, part, providerMessageId) {
  if (name === "poll") {
    return buildButtons(part.options.map((option) => [
      option,
      { pollVote: { pollId: providerMessageId, options: [option] } },
    ]));
  }
  if (name !== "event") return null;
  return buildButtons([
    [say("Going"), "going"],
    [say("Not going"), "not_going"],
    [say("Perhaps"), "maybe"],
  ].map(([label, answer]) => [label, { eventAnswer: { eventId: providerMessageId, answer } }]));
}

function buildButtons(answers) {
  return build(
    "p",
    { class: "answers" },
    ...answers.map(([label, parts]) => send(label, { parts })),
  );
}

/** A button whose press the composer sends as the customer's message. */
function send(label, detail) {
  const button = build("button", { type: "button", class: "quiet", dir: "auto" }, label);
  button.addEventListener("click", () => {
    button.dispatchEvent(new CustomEvent("reply", { bubbles: true, detail }));
  });
  return button;
}
