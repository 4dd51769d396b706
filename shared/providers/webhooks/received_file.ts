/** Reads what a provider's message event says of its file. */
import { Buffer } from "node:buffer";
import { readId, readText, readValue } from "../../model/json_value.ts";

/** Where a provider has a received file. Each provider knows its own sources: see `Provider`. */
export interface FileSource {
  readonly url?: string | undefined;
  /** The provider's id of the file, or of its message. */
  readonly id?: string | undefined;
  /** The token of a file that came with its event: it is taken from there, and not fetched. */
  readonly embedded?: string | undefined;
}

/** A file that a message event names, with what the event says of it. */
export interface ReceivedFile {
  readonly source: FileSource;
  readonly mimeType?: string | undefined;
  /** Lower-case hexadecimal. */
  readonly sha256?: string | undefined;
  readonly filename?: string | undefined;
  /** What is said in a voice message, where the provider has written it down. */
  readonly transcript?: string | undefined;
}

const mimeTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,120}$/;

/** The MIME type at a path, in lower case and without parameters; undefined for any other text. */
export function readMimeType(
  json: unknown,
  ...path: readonly (string | number)[]
): string | undefined {
  const type = readText(json, ...path)?.split(";")[0]?.trim().toLowerCase();
  return type !== undefined && mimeTypePattern.test(type) ? type : undefined;
}

/**
 * A SHA-256 at a path as lower-case hexadecimal: providers write it in hexadecimal, in base64, or as the
 * bytes themselves. Undefined for anything else.
 */
export function readSha256(
  json: unknown,
  ...path: readonly (string | number)[]
): string | undefined {
  const value = readValue(json, ...path);
  const bytes = typeof value === "object" && value !== null ? readBytes(value) : undefined;
  if (bytes !== undefined) return bytes;
  const text = readId(json, ...path);
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
    ? Buffer.from(text, "base64").toString("hex")
    : undefined;
}

/** Bytes as JSON has them: a list, or an object with a member for each place. */
function readBytes(value: object): string | undefined {
  const listed = Object.values(value);
  const isDigest = listed.length === 32 &&
    listed.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  return isDigest ? Buffer.from(listed as number[]).toString("hex") : undefined;
}
