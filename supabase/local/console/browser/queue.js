import { build, find } from "./dom.js";
import { formatPhone, formatSlot, formatWait } from "./format.js";
import { say } from "./words.js";

const pollMs = 2_000;
const shownRows = 25;
const holds = {
  interval: say("the interval"),
  window: say("the send window"),
  holiday: say("a holiday"),
  delay: say("its delay"),
};

/**
 * The queue of one instance. Polls the product's own API every two seconds with the token of the
 * form, while the page is visible.
 */
export function createQueue() {
  let timer = 0;
  let isAsking = false;
  let isRefused = false;

  async function ask() {
    clearTimeout(timer);
    const instanceId = find("instance-id").value.trim();
    const clientToken = find("client-token").value.trim();
    const canAsk = instanceId !== "" && clientToken !== "" && !isAsking && !document.hidden;
    if (canAsk) {
      isAsking = true;
      try {
        const answer = await readQueue(instanceId, clientToken);
        isRefused = answer.isRefused === true;
        show(answer);
      } catch {
        showProblem(say("The API cannot be reached."));
      } finally {
        isAsking = false;
      }
    }
    clearTimeout(timer);
    // Waits for the form: the same instance and token would be refused again.
    if (!isRefused) timer = setTimeout(ask, pollMs);
  }

  find("queue-form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  document.addEventListener("visibilitychange", ask);
  return { ask };
}

async function readQueue(instanceId, clientToken) {
  const query = new URLSearchParams({ instanceId, limit: String(shownRows) });
  const response = await fetch(`/functions/v1/messages-api/queue?${query}`, {
    headers: { "X-Client-Token": clientToken },
  });
  const answer = await response.json();
  if (response.ok) return answer;
  return {
    problem: answer.message ?? answer.error ?? response.statusText,
    isRefused: [401, 404].includes(response.status),
  };
}

function show(answer) {
  if (answer.problem !== undefined) return showProblem(answer.problem);
  const { items, total } = answer;
  find("queue-count").textContent = String(total);
  setNote(
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
  setNote(sentence);
}

/** Writes only changes, because screen readers may announce a rewritten status again. */
function setNote(sentence) {
  const note = find("queue-note");
  if (note.textContent !== sentence) note.textContent = sentence;
}
