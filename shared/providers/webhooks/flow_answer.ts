/** Reads the answers of a submitted form (a flow) from its JSON text. */
import { cleanText, ID_MAX, parseJson, readId } from "../../model/json_value.ts";
import type { ReceivedPart } from "../../model/received_parts.ts";

const MAX_FIELDS = 100;
/** An event has 20,000 bytes, and its message repeats the answers. */
const MAX_BYTES = 8_192;
const MAX_DEPTH = 8;

/** The fields of a form as data; undefined for a text that is not a JSON object with fields. */
export function readFlowAnswer(
  text: string | undefined,
  name: string | undefined,
): ReceivedPart<"flowAnswer"> | undefined {
  const isLong = text !== undefined && new TextEncoder().encode(text).length > MAX_BYTES;
  const json = text === undefined || isLong ? undefined : parseJson(text);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const fields = Object.entries(json).filter(([field]) => field !== "flow_token")
    .slice(0, MAX_FIELDS);
  const data = Object.fromEntries(
    fields.map(([field, value]) => [cleanText(field, ID_MAX), cleanJson(value, MAX_DEPTH)]),
  );
  const token = readId(json, "flow_token");
  return {
    ...(name === undefined ? {} : { name }),
    ...(token === undefined ? {} : { token }),
    data,
  };
}

/** A value that the database can store; what is nested deeper is left out. */
function cleanJson(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, MAX_BYTES);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      cleanText(name, ID_MAX),
      cleanJson(item, depth - 1),
    ]),
  );
}
