import { callApi, pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatSlot } from "./format.js";
import { colorOf, nameOf, readBatches, readSchedule, readSlots } from "./slots.js";
import { createTimeline } from "./timeline.js";
import { say } from "./words.js";

const statuses = {
  running: say("running"),
  paused: say("paused"),
  finished: say("finished"),
  canceled: say("canceled"),
};

const pauseReasons = {
  template_refused: say("paused by itself: the channel refuses the template"),
  account_restricted: say("paused by itself: the number's account is restricted"),
  failures_in_row: say("paused by itself: five equal failures in a row"),
};

/**
 * The progress of the form's instance's batches, and the timeline of what its queue holds.
 *
 * @returns {() => Promise<void>} asks for them now
 */
export function createBatches() {
  const timeline = createTimeline();
  let batches = [];
  let shown = "";

  async function refresh(api) {
    batches = await readBatches(api, batches);
    show();
    const [waiting, schedule] = await Promise.all([readSlots(api, batches), readSchedule(api)]);
    timeline.show({ ...waiting, batches, schedule });
  }

  /** Draws the rows only when they change, so that a focused button stays. */
  function show() {
    const running = batches.filter(({ status }) => status === "running");
    find("batches-count").textContent = String(running.length);
    setNote(
      find("batches-note"),
      batches.length > 0 ? "" : say("A batch appears here while it runs."),
    );
    const state = JSON.stringify(batches);
    if (state === shown) return;
    shown = state;
    const focused = document.activeElement?.closest("#batches [data-batch]")?.dataset.batch;
    find("batches").replaceChildren(...batches.map((batch) => buildBatch(batch, act)));
    if (focused !== undefined) {
      document.querySelector(`#batches [data-batch="${focused}"] button`)?.focus();
    }
  }

  function showProblem(sentence) {
    batches = [];
    show();
    timeline.hide();
    find("batches-count").textContent = "–";
    setNote(find("batches-note"), sentence);
  }

  const ask = pollApi(refresh, showProblem);

  async function act(batchId, action) {
    try {
      await callApi(`batches-api/batches/${batchId}/${action}`, { method: "POST", body: {} });
      await ask();
    } catch (problem) {
      setNote(find("batches-note"), problem.message);
    }
  }

  return ask;
}

function buildBatch(batch, act) {
  const { batchId, status, counts, recipientCount, lastScheduledFor } = batch;
  const name = nameOf(batch);
  const isOpen = counts.pending + counts.queued > 0;
  const done = recipientCount - counts.pending - counts.queued;
  const progress = say("{done} of {total}", { done, total: recipientCount });
  return build(
    "li",
    { class: "row", "data-batch": batchId },
    build("span", { class: `swatch color-${colorOf(batchId)}`, "aria-hidden": "true" }),
    build("span", { class: "grow strong", dir: "auto" }, name),
    build(
      "span",
      { class: status === "running" || status === "finished" ? "badge" : "badge warn" },
      statuses[status] ?? status,
    ),
    buildButton(batch, name, act),
    build("progress", {
      class: `color-${colorOf(batchId)}`,
      max: String(Math.max(recipientCount, 1)),
      value: String(done),
      "aria-label": say("Progress of {name}", { name }),
      "aria-valuetext": progress,
    }),
    build(
      "small",
      { class: "grow" },
      [
        progress,
        ...describeCounts(counts),
        describePause(batch),
        status === "running" && isOpen && lastScheduledFor !== null
          ? say("until {time}", { time: formatSlot(lastScheduledFor) })
          : "",
      ].filter((part) => part !== "").join(" · "),
    ),
  );
}

/** The button that pauses a batch, or lets it go on; null where it has ended. */
function buildButton({ batchId, status }, name, act) {
  if (status !== "running" && status !== "paused") return null;
  const isRunning = status === "running";
  const button = build(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-label": isRunning ? say("Pause {name}", { name }) : say("Resume {name}", { name }),
    },
    isRunning ? say("Pause") : say("Resume"),
  );
  button.addEventListener("click", () => act(batchId, isRunning ? "pause" : "resume"));
  return button;
}

/** Why it has paused by itself, with the error's code; empty for all others. */
function describePause({ pauseReason, pauseError }) {
  if (pauseReason === null) return "";
  return `${pauseReasons[pauseReason] ?? pauseReason} (${pauseError?.code ?? ""})`;
}

/** The counts that are not zero, but of what still waits. */
function describeCounts(counts) {
  const texts = {
    sent: say("{count} sent", { count: counts.sent }),
    delivered: say("{count} delivered", { count: counts.delivered }),
    read: say("{count} read", { count: counts.read }),
    failed: say("{count} failed", { count: counts.failed }),
    unconfirmed: say("{count} unconfirmed", { count: counts.unconfirmed }),
    canceled: say("{count} canceled", { count: counts.canceled }),
    expired: say("{count} expired", { count: counts.expired }),
    skipped: say("{count} skipped", { count: counts.skipped }),
  };
  return Object.keys(texts).filter((status) => counts[status] > 0).map((status) => texts[status]);
}
