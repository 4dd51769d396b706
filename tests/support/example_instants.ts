/** Moves the instants of the document's examples to the present: the examples tell of one fixed day. */

import { demoDay } from "../../shared/openapi/demo_fixtures.ts";

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
  return JSON.parse(JSON.stringify(value, (_, member) => moveInstant(member, todayMs)));
}

/** The dates of a JSON value that `moveInstants` does not move, as they are not of the demo day's year. */
export function listDistantDates(value: unknown): string[] {
  const distant: string[] = [];
  JSON.stringify(value, (_, member) => {
    const isDate = typeof member === "string" && written.test(member);
    if (isDate && !isNear(Date.parse(member))) distant.push(member);
    return member;
  });
  return distant;
}

function moveInstant(member: unknown, todayMs: number): unknown {
  if (typeof member === "number") return moveEpoch(member, todayMs);
  if (typeof member !== "string") return member;
  if (/^\d{10}(?:\d{3})?$/.test(member)) return `${moveEpoch(Number(member), todayMs)}`;
  const [, month, day, time = ""] = written.exec(member) ?? [];
  if (month === undefined || !isNear(Date.parse(member))) return member;
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
