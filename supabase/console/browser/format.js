/** Formats names and numbers for people, in the console's locale. */

import { locale, say } from "./words.js";

/**
 * A Brazilian number in the usual groups, any other as its digits.
 *
 * @param {string} phone digits, or a business-scoped user id
 */
export function formatPhone(phone) {
  const brazilian = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(phone);
  if (brazilian !== null) return `+55 ${brazilian[1]} ${brazilian[2]}-${brazilian[3]}`;
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const instants = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
/** Formats wall-clock times that are passed as if they were UTC. */
const slotClock = new Intl.DateTimeFormat(locale, { timeStyle: "medium", timeZone: "UTC" });
const slotDates = new Intl.DateTimeFormat(locale, {
  dateStyle: "short",
  timeStyle: "short",
  timeZone: "UTC",
});

/** Formats hours and days that are passed as if they were UTC. */
const hours = new Intl.DateTimeFormat(locale, { hour: "numeric", timeZone: "UTC" });
const minutes = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" });
const days = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** @param {number} hour 0 to 24 */
export function formatHour(hour) {
  return hours.format(new Date(Date.UTC(2000, 0, 1, hour)));
}

/** @param {number} minute of a day */
export function formatMinute(minute) {
  return minutes.format(new Date(Date.UTC(2000, 0, 1, 0, minute)));
}

/** @param {string} day YYYY-MM-DD */
export function formatDay(day) {
  return days.format(new Date(`${day}T00:00:00Z`));
}

const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

/** @param {string} month YYYY-MM */
export function formatMonth(month) {
  return months.format(new Date(`${month}-01T00:00:00Z`));
}

/** @param {string} instant ISO 8601 */
export function formatTime(instant) {
  return clock.format(new Date(instant));
}

/** @param {string} instant ISO 8601 */
export function formatInstant(instant) {
  return instants.format(new Date(instant));
}

/**
 * The time of an instant of today, else with its day.
 *
 * @param {string} instant ISO 8601
 */
export function formatNearInstant(instant) {
  const isToday = new Date(instant).toDateString() === new Date().toDateString();
  return isToday ? formatTime(instant) : formatInstant(instant);
}

/**
 * The wall-clock time in the instant's own offset (ISO 8601), so that a send time is shown in the
 * instance's time zone and not the browser's.
 *
 * @param {string} instant
 */
export function formatSlot(instant) {
  const wallClock = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(instant)?.[0];
  if (wallClock === undefined) return instant;
  const slot = new Date(`${wallClock}Z`);
  // Compares both as if they were UTC, so that the day is the instance's and not the browser's.
  const now = new Date(Date.now() + slot.getTime() - Date.parse(instant));
  const isToday = slot.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  return (isToday ? slotClock : slotDates).format(slot);
}

/** @param {string} instant ISO 8601 */
export function formatWait(instant) {
  const seconds = Math.round((Date.parse(instant) - Date.now()) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds <= 0) return say("due now");
  if (seconds < 120) return say("in {count} s", { count: seconds });
  if (seconds < 7_200) return say("in {count} min", { count: Math.round(seconds / 60) });
  if (seconds < 172_800) return say("in {count} h", { count: Math.round(seconds / 3_600) });
  return say("in {count} days", { count: Math.round(seconds / 86_400) });
}

/** @param {number} ms */
export function formatDuration(ms) {
  return ms < 1_000 ? `${ms} ms` : `${(Math.round(ms / 100) / 10).toLocaleString(locale)} s`;
}
