/** Moves the instants of the document's examples to the present: the examples tell of one fixed day. */

import { demoDay } from "../../shared/openapi/demo_fixtures.ts";

type Scalar = string | number;

const dayMs = 86_400_000;
/** Numbers below are seconds since 1970, others milliseconds. */
const smallestMs = 1e11;
/** What lies farther from the demo day is no time of the examples: an id, a phone, a limit. */
const reachMs = 366 * dayMs;
const demoDayMs = Date.parse(demoDay);
/** `2026-11`, `2026-11-24`, `2026-11-24T09:00:00-03:00`: the month, the day and the time. */
const written = /^(\d{4}-\d{2})(?:-(\d{2})(T.*)?)?$/;

/**
 * A copy of a JSON value whose instants and days are moved by the days from `demoDay` to the day of
 * `nowMs` in UTC, so that what was ahead of the demo day is ahead of today. Moves whole values: dates with
 * and without a time, months (by months), and seconds or milliseconds since 1970, as a number or digits.
 * Each keeps its form, its time of day and its offset. Takes a body, a query, an answer, or a whole
 * document, this version's or a released one's.
 */
export function moveInstants<T>(value: T, nowMs = Date.now()): T {
  const todayMs = Math.floor(nowMs / dayMs) * dayMs;
  return replaceScalars(value, (scalar) => moveScalar(scalar, todayMs)) as T;
}

/** The dates of a JSON value that `moveInstants` does not move, as they are not of the demo day's year. */
export function listDistantDates(value: unknown): string[] {
  const distant: string[] = [];
  replaceScalars(value, (scalar) => {
    if (typeof scalar === "string" && written.test(scalar) && !isNear(Date.parse(scalar))) {
      distant.push(scalar);
    }
    return scalar;
  });
  return distant;
}

function replaceScalars(value: unknown, replace: (scalar: Scalar) => Scalar): unknown {
  if (typeof value === "string" || typeof value === "number") return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceScalars(item, replace));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceScalars(member, replace)]),
  );
}

function moveScalar(scalar: Scalar, todayMs: number): Scalar {
  if (typeof scalar === "number") return moveEpoch(scalar, todayMs);
  if (/^\d{10}(?:\d{3})?$/.test(scalar)) return `${moveEpoch(Number(scalar), todayMs)}`;
  const [, month, day, time = ""] = written.exec(scalar) ?? [];
  if (month === undefined || !isNear(Date.parse(scalar))) return scalar;
  if (day === undefined) return moveMonth(month, todayMs);
  const movedMs = Date.parse(`${month}-${day}`) + todayMs - demoDayMs;
  return new Date(movedMs).toISOString().slice(0, 10) + time;
}

function moveEpoch(epoch: number, todayMs: number): number {
  const unitMs = epoch < smallestMs ? 1_000 : 1;
  return isNear(epoch * unitMs) ? epoch + (todayMs - demoDayMs) / unitMs : epoch;
}

function moveMonth(month: string, todayMs: number): string {
  const moved = countMonths(Date.parse(month)) + countMonths(todayMs) - countMonths(demoDayMs);
  return new Date(Date.UTC(1970, moved)).toISOString().slice(0, 7);
}

/** Whole months since 1970. */
function countMonths(instantMs: number): number {
  const date = new Date(instantMs);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

function isNear(instantMs: number): boolean {
  return Math.abs(instantMs - demoDayMs) <= reachMs;
}
