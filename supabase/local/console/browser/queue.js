import { callApi, pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatPhone, formatSlot, formatWait } from "./format.js";
import { say } from "./words.js";

const shownRows = 25;
const holds = {
  interval: say("the interval"),
  window: say("the send window"),
  holiday: say("a holiday"),
  delay: say("its delay"),
};

/**
 * The queue of one instance, from the product's own API.
 *
 * @returns {() => Promise<void>} asks for it now
 */
export function createQueue() {
  return pollApi(
    async () => show(await callApi("messages-api/queue", { query: { limit: shownRows } })),
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

function buildRow(item, index) {
  return build(
    "li",
    { class: "row" },
    build("span", { class: "position" }, String(item.position ?? index + 1)),
    build(
      "span",
      { class: "grow waiting" },
      formatPhone(item.phone),
      item.heldBy === null || item.heldBy === undefined
        ? null
        : build("small", {}, say("held by {cause}", { cause: holds[item.heldBy] ?? item.heldBy })),
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
  setNote(find("queue-note"), sentence);
}
