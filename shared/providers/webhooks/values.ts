/** Reads numbers, instants and addresses of webhook payloads in the forms that providers write them in. */
import { readValue } from "../../model/json_value.ts";
import { readId, readText } from "../../model/json_value.ts";
import { readList, readName, readUrl } from "./fields.ts";

type Path = readonly (string | number)[];

const MAX_TEXTS = 50;
const lastInstantMs = Date.UTC(2100, 0, 1);

/** Degrees as a number, or as its text; undefined beyond `max`. */
export function readDegrees(value: unknown, max: number): number | undefined {
  const isText = typeof value === "string" && /^-?\d{1,3}(?:\.\d{1,20})?$/.test(value.trim());
  const degrees = isText ? Number(value) : value;
  return typeof degrees === "number" && Math.abs(degrees) <= max ? degrees : undefined;
}

/**
 * A number at a path: a number, its text, or the three members `low`, `high`, `unsigned` into which a
 * 64-bit number of WhatsApp's protocol is taken apart.
 */
export function readNumber(json: unknown, ...path: Path): number | undefined {
  const value = readValue(json, ...path);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "string") {
    return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim()) ? Number(value) : undefined;
  }
  const [low, high] = [readValue(value, "low"), readValue(value, "high")];
  if (typeof low !== "number" || typeof high !== "number") return undefined;
  const whole = high * 2 ** 32 + (low < 0 ? low + 2 ** 32 : low);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

/** A count at a path: a whole number from 0. */
export function readCount(json: unknown, ...path: Path): number | undefined {
  const number = readNumber(json, ...path);
  return Number.isSafeInteger(number) && (number ?? -1) >= 0 ? number : undefined;
}

/**
 * An amount of money at a path as a decimal text. `parts` is into how many the channel divides the
 * currency's unit: WhatsApp's own catalog counts thousandths.
 */
export function readAmount(parts: number, json: unknown, ...path: Path): string | undefined {
  const number = readNumber(json, ...path);
  if (number === undefined || Math.abs(number) >= 1e15) return undefined;
  const digits = Math.round(Math.log10(parts));
  const text = (number / parts).toFixed(Math.max(digits, 6)).replace(/\.?(?<!0)0+$/, "");
  return text === "-0" || text === "" ? "0" : text;
}

/** An instant at a path, in the past or ahead, from Unix seconds or milliseconds. */
export function readInstant(json: unknown, ...path: Path): string | undefined {
  const number = readNumber(json, ...path);
  if (number === undefined || number <= 0) return undefined;
  const ms = number < lastInstantMs / 1_000 ? number * 1_000 : number;
  return ms < lastInstantMs ? new Date(ms).toISOString() : undefined;
}

/** The names in a list, each of a text, at most fifty. */
export function readTexts(json: unknown, ...path: Path): string[] {
  return readList(json, ...path).slice(0, MAX_TEXTS).map((item) => readName(item))
    .filter((text) => text !== undefined);
}

/** The first of these addresses that is one. */
export function readFirstUrl(json: unknown, members: readonly string[]): string | undefined {
  return members.map((member) => readUrl(json, member)).find((url) => url !== undefined);
}

/** An id at a path that may be a number. */
export function readAnyId(json: unknown, ...path: Path): string | undefined {
  const value = readValue(json, ...path);
  return Number.isSafeInteger(value) ? String(value) : readId(json, ...path);
}

/** A currency's code at a path. */
export function readCurrency(json: unknown, ...path: Path): string | undefined {
  const text = readText(json, ...path);
  return text !== undefined && /^[A-Za-z]{3,5}$/.test(text) ? text.toUpperCase() : undefined;
}

/** The items of the list at a path that are objects. */
export function readObjects(json: unknown, ...path: Path): readonly unknown[] {
  return readList(json, ...path).filter((item) => hasObject(item));
}

/** Whether the value at a path is an object. */
export function hasObject(json: unknown, ...path: Path): boolean {
  const value = readValue(json, ...path);
  return typeof value === "object" && value !== null;
}

/** The members that are there; undefined where none is. */
export function defined<Members extends object>(members: Members): Members | undefined {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given) as Members;
}
