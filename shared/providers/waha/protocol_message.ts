/**
 * WhatsApp's own message object in what an engine passes on: NOWEB (Baileys) has it as `message`, GOWS
 * (whatsmeow) as `Message`, in Go's spelling of abbreviations (`stanzaID`, `fileSHA256`).
 */
import { readValue } from "../../model/json_value.ts";
import { hasObject } from "../webhooks/values.ts";

/** A message has fewer levels; what lies deeper is left out. */
const MAX_DEPTH = 24;

/** The message object in the spelling of WhatsApp's protocol; undefined for another engine. */
export function readProtocolMessage(payload: unknown): unknown {
  if (hasObject(payload, "_data", "message")) return readValue(payload, "_data", "message");
  return hasObject(payload, "_data", "Message")
    ? respell(readValue(payload, "_data", "Message"), MAX_DEPTH)
    : undefined;
}

function respell(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((item) => respell(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [respellName(name), respell(inner, depth - 1)]),
  );
}

/** `URL` to `url`, `JPEGThumbnail` to `jpegThumbnail`, `mentionedJID` to `mentionedJid`. */
function respellName(name: string): string {
  return name.replace(/^[A-Z]{2,}(?=[A-Z][a-z]|$)/, (letters) => letters.toLowerCase())
    .replace(
      /(?<=[a-z])([A-Z])([A-Z]+\d*)$/,
      (_, first: string, rest: string) => first + rest.toLowerCase(),
    );
}
