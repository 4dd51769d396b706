import { statusNames } from "./api_words.js";
import { buildTime, createActivity } from "./activity.js";
import { callApi, hasAccess, setNote } from "./client.js";
import { build, find } from "./dom.js";
import { formatNearInstant, formatPhone } from "./format.js";
import { summarizeMedia } from "./media_summary.js";
import { describePrice } from "./prices.js";
import { say } from "./words.js";

const pageSize = 1_000;
/** Of older events. With more of them the list begins with the next event. */
const loadedPages = 5;
const waitSeconds = 20;
const pauseMs = 2_000;

/**
 * The events of the form's instance, from its feed: those that it keeps, then each one as it comes.
 * Holds one request open while the page is visible, and goes on at its cursor when it is again.
 *
 * @param {(event: object) => void} [onEvent] called for each of them
 * @returns {() => Promise<void>} begins to follow the form's instance
 */
export function createEvents(onEvent = () => {}) {
  const list = createActivity(
    { list: "events", count: "events-count", note: "events-note" },
    buildEvent,
  );
  let cursor = null;
  let following = new AbortController();

  async function follow() {
    following.abort();
    if (document.hidden || !hasAccess()) return;
    following = new AbortController();
    const { signal } = following;
    while (!signal.aborted) {
      try {
        const page = cursor === null
          ? await readKept(signal)
          : await readFeed({ after: cursor, waitSeconds }, signal);
        // Another loop reads on from the cursor, which must not move under it.
        if (signal.aborted) return;
        for (const event of page.items) {
          list.add(describe(event));
          onEvent(event);
        }
        cursor = page.nextCursor;
        setNote(find("events-problem"), "");
      } catch (problem) {
        if (signal.aborted) return;
        // The cursor is of another database, or too old.
        if ([400, 410].includes(problem.status)) begin();
        setNote(find("events-problem"), problem.message);
        if (problem.isFinal) return;
        await pause(signal);
      }
    }
  }

  function begin() {
    cursor = null;
    list.clear();
  }

  find("clear-events").addEventListener("click", () => list.clear());
  find("queue-form").addEventListener("submit", () => {
    begin();
    follow();
  });
  document.addEventListener("visibilitychange", follow);
  return follow;
}

/** @returns {Promise<{items: object[], nextCursor: string}>} the kept events, and where they end */
async function readKept(signal) {
  const items = [];
  let after = "oldest";
  for (let count = 0; count < loadedPages; count++) {
    const page = await readFeed({ after, limit: pageSize }, signal);
    items.push(...page.items);
    after = page.nextCursor;
    if (!page.hasMore) return { items, nextCursor: after };
  }
  return await readFeed({}, signal);
}

function readFeed(query, signal) {
  return callApi("events-api/events", { query, signal });
}

function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The event as a record of an activity. */
function describe(event) {
  return { ...event, seq: event.sequence, receivedAt: event.timestamp };
}

function buildEvent(event) {
  const line = build("small", { class: "whole", dir: "auto" }, summarizeEvent(event));
  awaitName(event, line);
  return build(
    "li",
    { class: "row" },
    build(
      "details",
      { class: "entry" },
      build(
        "summary",
        {},
        build("span", { class: "grow strong mono" }, event.type),
        build("span", { class: "position" }, `#${event.sequence}`),
        buildTime(event),
        line,
      ),
      build("pre", { class: "prose" }, JSON.stringify({ id: event.id, ...event.data }, null, 2)),
    ),
  );
}

/** Names of contacts that events have told, for events that have only their ids. */
const people = new Map();
/** Bounds what a page remembers that stays open for days. */
const maxPeople = 5_000;

/** Lines that show the id of a contact whose name no event has told yet, by that id. */
const unnamed = new Map();

/** Writes the line anew when an event tells the contact's name. */
function awaitName(event, line) {
  const { contactId } = event.data.contact ?? event.data;
  if (contactId === undefined || people.has(contactId)) return;
  const lines = unnamed.get(contactId) ?? [];
  unnamed.set(contactId, [...lines, { event, line }]);
  if (unnamed.size > maxPeople) unnamed.delete(unnamed.keys().next().value);
}

/** Whom the event is about, and what it tells of them, in one line. */
export function summarizeEvent({ type, data }) {
  return [nameContact(data), describeChange(type, data), describePrice(data)].filter(Boolean)
    .join(" · ");
}

function nameContact(data) {
  const { contactId, name, phone } = data.contact ?? data;
  const told = [name, phone && formatPhone(phone)].filter(Boolean).join(" ");
  if (contactId === undefined) return told;
  if (told !== "") {
    people.set(contactId, told);
    if (people.size > maxPeople) people.delete(people.keys().next().value);
    const lines = unnamed.get(contactId) ?? [];
    unnamed.delete(contactId);
    for (const { event, line } of lines) line.textContent = summarizeEvent(event);
  }
  return people.get(contactId) ?? contactId;
}

function describeChange(type, data) {
  if (type === "agent.paused") {
    return data.pausedUntil === null
      ? say("paused until somebody lets it go on")
      : say("paused until {time}", { time: formatNearInstant(data.pausedUntil) });
  }
  if (type === "instance.held") {
    const until = data.heldUntil &&
      say("until {time}", { time: formatNearInstant(data.heldUntil) });
    return [data.holdReason, data.holdCode, until].filter(Boolean).join(" · ");
  }
  return data.message ?? summarizeMedia(data) ?? data.fieldsUpdated?.join(", ") ??
    statusNames[data.status] ?? data.status ?? data.reason ??
    data.mergedInto ?? data.operatorId;
}
