/**
 * Reads fields of webhook payloads for keeping: bounded, and free of what Postgres cannot store. No
 * reader throws, whatever it is given.
 */
import { cleanText, readId, readText, readValue } from "../../model/json_value.ts";

type Path = readonly (string | number)[];

/** Longest text of a message, in UTF-16 units; the channels allow far less. */
export const MESSAGE_MAX = 65_536;
const NAME_MAX = 200;
const URL_MAX = 2_048;
const LABEL_MAX = 50;

/** WhatsApp's first year: nothing was written before. */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
/** How far the provider's clock may be ahead of ours. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What somebody wrote, cut to 65,536 units and otherwise as it is; undefined where it is blank. */
export function readMessage(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return cleanText(value, MESSAGE_MAX);
}

/**
 * A name of a person, chat or file, trimmed and cut to 200 units.
 */
export function readName(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text === undefined ? undefined : cleanText(text, NAME_MAX);
}

/** A name that is more than a phone number: gateways call whom they cannot name by the number. */
export function readPersonName(json: unknown, ...path: Path): string | undefined {
  const name = readName(json, ...path);
  return name === undefined || /^[+\d\s().-]+$/.test(name) ? undefined : name;
}

/** A short word of the provider (a type, a decision), trimmed and cut to 50 units. */
export function readLabel(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text === undefined ? undefined : cleanText(text, LABEL_MAX);
}

/** An http(s) URL of at most 2,048 characters and without credentials, normalised. */
export function readUrl(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  if (text === undefined || text.length > URL_MAX) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") return undefined;
  return url.password === "" && url.href.length <= URL_MAX ? url.href : undefined;
}

/** A UUID in lower case; undefined for every other text. */
export function readUuid(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text !== undefined && uuidPattern.test(text) ? text.toLowerCase() : undefined;
}

/** A whole number without loss (or the digits of one) as its digits. */
export function readNumericId(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  }
  const text = readId(json, ...path);
  return text !== undefined && /^\d+$/.test(text) ? text : undefined;
}

/**
 * An instant since 1970, a number or its digits in the given unit, as ISO 8601. Undefined where it
 * is implausible: before WhatsApp existed, or more than a day ahead.
 */
export function readTime(json: unknown, unit: "s" | "ms", ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  const isNumeric = typeof value === "number" ||
    (typeof value === "string" && /^\d{1,16}$/.test(value));
  if (!isNumeric) return undefined;
  const ms = Number(value) * (unit === "s" ? 1000 : 1);
  const isPlausible = ms >= EARLIEST_MS && ms <= Date.now() + TOLERANCE_MS;
  return isPlausible ? new Date(ms).toISOString() : undefined;
}

/** The items of the list at a path; none where there is no list. */
export function readList(json: unknown, ...path: Path): readonly unknown[] {
  const value = readValue(json, ...path);
  return Array.isArray(value) ? value.filter((item) => item !== undefined) : [];
}
