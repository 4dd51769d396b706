import { holdNames } from "./api_words.js";
import { pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatNearInstant, formatPhone, formatSlot, formatWait } from "./format.js";
import { say } from "./words.js";

const shownRows = 25;

/**
 * The queue of one instance, from the product's own API.
 *
 * @returns {() => Promise<void>} asks for it now
 */
export function createQueue() {
  return pollApi(
    async (api) => {
      const [queue, health] = await Promise.all([
        api.read("messages-api/queue", { limit: shownRows }),
        api.read("messages-api/health"),
      ]);
      show(queue);
      showHealth(health);
    },
    showProblem,
  );
}

function show({ items, total }) {
  find("queue-count").textContent = String(total);
  setNote(
    find("queue-note"),
    total === 0
      ? say("Nothing is waiting.")
      : total > items.length
      ? say("The next {count} of {total}.", { count: items.length, total })
      : "",
  );
  find("queue-rows").replaceChildren(...items.map(buildRow));
}

/** Why nothing leaves, and how much of the day's limits is taken. */
function showHealth({ heldBy, holdReason, holdCode, heldUntil, protection }) {
  const parts = [describeHold(heldBy, holdReason, holdCode)].filter(Boolean);
  if (heldUntil !== null) parts.push(say("Until {time}.", { time: formatNearInstant(heldUntil) }));
  if (protection !== null && protection.limit !== null) {
    const taken = protection.sent + protection.waiting;
    parts.push(say("Today {taken} of {limit}.", { taken, limit: protection.limit }));
  }
  if (protection !== null && protection.newContacts !== null) {
    const { sent, waiting, limit } = protection.newContacts;
    parts.push(say("New contacts {taken} of {limit}.", { taken: sent + waiting, limit }));
  }
  setNote(find("queue-health"), parts.join(" "));
}

/** What keeps the whole instance; nothing where no hold does. */
function describeHold(heldBy, reason, code) {
  switch (heldBy) {
    case "disconnected":
      return reason === null
        ? say("The connection is lost.")
        : say("The connection is lost: {reason}.", { reason });
    case "instance_held":
      return code === null
        ? say("The provider refuses the number.")
        : say("The provider refuses the number: code {code}.", { code });
    case "wrong_phone":
      return say("The gateway is connected to another phone.");
    case "operator_hold":
      return reason === null ? say("Held.") : say("Held: {reason}.", { reason });
    default:
      return undefined;
  }
}

function buildRow(item, index) {
  return build(
    "li",
    { class: "row" },
    build("span", { class: "position" }, String(item.position ?? index + 1)),
    build(
      "span",
      { class: "grow waiting" },
      formatPhone(item.phone),
      item.heldBy === null || item.heldBy === undefined ? null : build(
        "small",
        {},
        say("held by {cause}", { cause: holdNames[item.heldBy] ?? item.heldBy }),
      ),
    ),
    item.scheduledFor === null || item.scheduledFor === undefined ? null : build(
      "span",
      { class: "slot" },
      build(
        "time",
        { datetime: item.scheduledFor, title: item.scheduledFor },
        formatSlot(item.scheduledFor),
      ),
      build("small", {}, formatWait(item.scheduledFor)),
    ),
  );
}

function showProblem(sentence) {
  find("queue-count").textContent = "–";
  find("queue-rows").replaceChildren();
  setNote(find("queue-health"), "");
  setNote(find("queue-note"), sentence);
}
