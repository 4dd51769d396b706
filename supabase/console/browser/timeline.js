import { build, buildShape, find } from "./dom.js";
import { formatDay, formatHour, formatMinute } from "./format.js";
import { colorOf, nameOf } from "./slots.js";
import { say } from "./words.js";

/** A column of the plot is a quarter of an hour. */
const columnMinutes = 15;
const columns = 24 * 60 / columnMinutes;
const plotHeight = 64;
const highestColumn = 58;
const lowestColumn = 10;

/**
 * The slots of a day as columns, each with a color per batch, over the send window.
 *
 * @returns {{show(plan: {slots: object[], isCut: boolean, batches: object[], schedule: object | null}): void,
 * hide(): void}}
 */
export function createTimeline() {
  const choice = find("timeline-day");
  let plan = null;

  function draw() {
    const readClock = createClock(plan.schedule?.timeZone);
    const now = readClock(new Date());
    const all = plan.slots.map(({ at, batchId }) => ({ ...readClock(new Date(at)), batchId }));
    fillDays(choice, [now.day, ...all.map(({ day }) => day)]);
    const day = choice.value;
    const slots = all.filter((slot) => slot.day === day);
    const opening = openingOf(day, plan.schedule);
    const sentence = describeDay(slots, opening, plan);
    find("timeline-note").textContent = sentence;
    find("timeline-plot").replaceChildren(
      drawDay({ slots, opening, now: now.day === day ? now.minute : null, sentence }),
      buildHours(),
    );
    find("timeline-legend").replaceChildren(...buildLegend(slots, plan.batches));
  }

  choice.addEventListener("change", draw);
  return {
    show(next) {
      plan = next;
      draw();
      find("timeline").hidden = false;
    },
    hide() {
      find("timeline").hidden = true;
    },
  };
}

/** Reads day and minute by the clock of the zone; of the browser without one. */
function createClock(timeZone) {
  // Swedish dates and times are written as in ISO 8601.
  const clock = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone,
  });
  return (instant) => {
    const text = clock.format(instant);
    return { day: text.slice(0, 10), minute: minuteOf(text) };
  };
}

/** The minute of the day, by the clock that the text shows: `... 08:30` or `08:30`. */
function minuteOf(text) {
  const [, hour, minute] = /(\d{2}):(\d{2})/.exec(text);
  return Number(hour) * 60 + Number(minute);
}

/** @returns {[number, number] | null} minutes of the day; null where it is closed or not known */
function openingOf(day, schedule) {
  if (schedule === null) return null;
  const { start, end, days, holidays } = schedule.sendWindow;
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  if (!days.includes(weekday) || holidays.includes(day)) return null;
  return [minuteOf(start), minuteOf(end)];
}

/** Keeps what is chosen, and an open list where the days are the same. */
function fillDays(choice, days) {
  const wanted = [...new Set(days)].sort();
  if (JSON.stringify(Array.from(choice.options, ({ value }) => value)) === JSON.stringify(wanted)) {
    return;
  }
  const chosen = choice.value;
  choice.replaceChildren(...wanted.map((day) => build("option", { value: day }, formatDay(day))));
  choice.value = wanted.includes(chosen) ? chosen : days[0];
}

/** The plot in words, for those who do not see it, too. */
function describeDay(slots, opening, { schedule, isCut }) {
  const minutes = slots.map(({ minute }) => minute);
  return [
    slots.length === 0 ? say("No slot on this day.") : say("Slots: {count}, {first} to {last}.", {
      count: slots.length,
      first: formatMinute(Math.min(...minutes)),
      last: formatMinute(Math.max(...minutes)),
    }),
    isCut ? say("Later ones are not shown.") : "",
    schedule === null ? "" : describeOpening(opening),
  ].filter((part) => part !== "").join(" ");
}

function describeOpening(opening) {
  if (opening === null) return say("The send window is closed all day.");
  const [start, end] = opening;
  if (end - start === columns * columnMinutes) return say("The send window is open all day.");
  return say("The send window is shaded: {start} to {end}.", {
    start: formatMinute(start),
    end: formatMinute(end),
  });
}

function drawDay({ slots, opening, now, sentence }) {
  const shapes = [];
  if (opening !== null) {
    const [x, end] = opening.map((minute) => minute / columnMinutes);
    shapes.push(
      buildShape("rect", { class: "window", x, y: 0, width: end - x, height: plotHeight }),
    );
  }
  const byColumn = Map.groupBy(slots, ({ minute }) => Math.floor(minute / columnMinutes));
  const most = Math.max(...Array.from(byColumn.values(), ({ length }) => length));
  for (const [column, held] of byColumn) shapes.push(...drawColumn(column, held, most));
  if (now !== null) {
    const x = now / columnMinutes;
    shapes.push(buildShape("rect", { class: "now", x, y: 0, width: 0.35, height: plotHeight }));
  }
  return buildShape("svg", {
    role: "img",
    "aria-label": sentence,
    viewBox: `0 0 ${columns} ${plotHeight}`,
    preserveAspectRatio: "none",
  }, ...shapes);
}

/** The parts of a column on top of each other, single messages at the bottom. */
function drawColumn(column, slots, most) {
  const height = lowestColumn + (highestColumn - lowestColumn) * slots.length / most;
  const byColor = Map.groupBy(slots, ({ batchId }) => colorOf(batchId));
  let y = plotHeight;
  return [...byColor].sort(([one], [other]) => one - other).map(([color, held]) => {
    const part = height * held.length / slots.length;
    y -= part;
    return buildShape(
      "rect",
      { class: `slots color-${color}`, x: column + 0.06, y, width: 0.88, height: part },
      buildShape("title", {}, `${formatMinute(column * columnMinutes)}: ${held.length}`),
    );
  });
}

function buildHours() {
  return build(
    "p",
    { class: "hours", "aria-hidden": "true" },
    ...[0, 6, 12, 18, 24].map((hour) => build("span", {}, formatHour(hour))),
  );
}

function buildLegend(slots, batches) {
  const names = new Map([[null, say("single messages")]]);
  for (const batch of batches) names.set(batch.batchId, nameOf(batch));
  const byBatch = Map.groupBy(slots, ({ batchId }) => batchId);
  return [...names].filter(([batchId]) => byBatch.has(batchId)).map(([batchId, name]) =>
    build(
      "li",
      {},
      build("span", { class: `swatch color-${colorOf(batchId)}`, "aria-hidden": "true" }),
      build("span", { dir: "auto" }, name),
      build("span", { class: "count" }, String(byBatch.get(batchId).length)),
    )
  );
}
