/**
 * Reads fields of webhook payloads for storage: bounded, and without characters that Postgres
 * cannot store. No reader throws, whatever its input.
 */
import { cleanText, readId, readText, readValue } from "../../model/json_value.ts";

type Path = readonly (string | number)[];

/** Longest text of a message, in UTF-16 units: the 65,536 that WhatsApp's own clients accept. */
export const MESSAGE_MAX = 65_536;
const NAME_MAX = 200;
/** The longest body of an ad, a template or an event's description that WhatsApp shows. */
const PASSAGE_MAX = 4_096;
const URL_MAX = 2_048;
const LABEL_MAX = 50;

/** WhatsApp's first year. Messages cannot be older. */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
/** How far the provider's clock may be ahead of ours. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A message text, truncated to 65,536 units and otherwise unchanged; undefined if blank. */
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

/** A text of several sentences beside the message's own, trimmed and cut to 4,096 units. */
export function readPassage(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text === undefined ? undefined : cleanText(text, PASSAGE_MAX);
}

/**
 * Whether a name is more than a phone number. Gateways send the number as the name of unnamed
 * contacts.
 */
export function readPersonName(json: unknown, ...path: Path): string | undefined {
  const name = readName(json, ...path);
  return name === undefined || /^[+\d\s().-]+$/.test(name) ? undefined : name;
}

/** A short keyword of the provider (a type, a decision), trimmed and truncated to 50 units. */
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

/** A UUID in lower case; undefined for any other text. */
export function readUuid(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text !== undefined && uuidPattern.test(text) ? text.toLowerCase() : undefined;
}

/** A whole number, or a text of digits, as digits, without loss of precision. */
export function readNumericId(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  }
  const text = readId(json, ...path);
  return text !== undefined && /^\d+$/.test(text) ? text : undefined;
}

/**
 * A Unix timestamp in the given unit, as number or digits, converted to ISO 8601. Undefined if it
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

/** An instant as ISO 8601 text, by the same rules; a text without an offset is taken as UTC. */
export function readIsoTime(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T[\d:.]{5,15}(Z|[+-]\d{2}:?\d{2})?$/.test(text)) {
    return undefined;
  }
  const ms = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  const isPlausible = ms >= EARLIEST_MS && ms <= Date.now() + TOLERANCE_MS;
  return isPlausible ? new Date(ms).toISOString() : undefined;
}

const lastEndMs = Date.UTC(2100, 0, 1);

/**
 * An end, which lies ahead, unlike the instants that `readIsoTime` takes: a date, or a Unix time in
 * seconds or milliseconds, as number or digits.
 */
export function readEnd(value: unknown): string | undefined {
  const digits = readNumericId(value);
  const number = digits === undefined ? Date.parse(String(value)) : Number(digits);
  const ms = digits !== undefined && number * 1_000 < lastEndMs ? number * 1_000 : number;
  return ms > 0 && ms < lastEndMs ? new Date(ms).toISOString() : undefined;
}

/** The items of the list at a path; empty if there is no list. */
export function readList(json: unknown, ...path: Path): readonly unknown[] {
  const value = readValue(json, ...path);
  return Array.isArray(value) ? value.filter((item) => item !== undefined) : [];
}
