import { batchStatusNames, countNames, pauseReasonNames } from "./api_words.js";
import { callApi, pollApi, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatNearInstant } from "./format.js";
import { describeEstimate } from "./prices.js";
import { colorOf, forgetRest, nameOf, readBatches, readSchedule, readSlots } from "./slots.js";
import { createTimeline } from "./timeline.js";
import { say } from "./words.js";

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
      batches.length > 0
        ? ""
        : say("No batch yet. Each one stays here, with what has become of it."),
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
      forgetRest();
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
      batchStatusNames[status] ?? status,
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
        describeCost(batch),
        status === "running" && isOpen && lastScheduledFor !== null
          ? say("until {time}", { time: formatNearInstant(lastScheduledFor) })
          : "",
      ].filter((part) => part !== "").join(" · "),
    ),
  );
}

const steps = {
  draft: { action: "start", words: say("Start"), label: (name) => say("Start {name}", { name }) },
  running: { action: "pause", words: say("Pause"), label: (name) => say("Pause {name}", { name }) },
  paused: {
    action: "resume",
    words: say("Resume"),
    label: (name) => say("Resume {name}", { name }),
  },
};

/** The button that starts a batch, pauses it, or lets it go on; null where it has ended. */
function buildButton({ batchId, status }, name, act) {
  const step = steps[status];
  if (step === undefined) return null;
  const attributes = { type: "button", class: "quiet", "aria-label": step.label(name) };
  const button = build("button", attributes, step.words);
  button.addEventListener("click", () => act(batchId, step.action));
  return button;
}

/** What a draft would cost, or what a batch has cost; empty where its channel bills nothing. */
function describeCost({ status, estimatedCost, estimatedCostAfterChange }) {
  const cost = describeEstimate(estimatedCost);
  const later = describeEstimate(estimatedCostAfterChange);
  return [
    cost === ""
      ? ""
      : status === "draft"
      ? say("would cost {cost}", { cost })
      : say("has cost {cost}", { cost }),
    later === "" ? "" : say("{cost} by the announced category, for what is left", { cost: later }),
  ].filter((part) => part !== "").join(" · ");
}

/** Why it has paused by itself, with the error's code; empty for all others. */
function describePause({ pauseReason, pauseError }) {
  if (pauseReason === null) return "";
  return `${pauseReasonNames[pauseReason] ?? pauseReason} (${pauseError?.code ?? ""})`;
}

/** The counts that are not zero, but of what still waits. */
function describeCounts(counts) {
  return Object.entries(countNames).filter(([status]) => counts[status] > 0)
    .map(([status, describe]) => describe(counts[status]));
}
