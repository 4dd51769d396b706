/**
 * The ids of WAHA's messages: `{true|false}_{chatId}_{id}[_{participant}]`. One message may be told under
 * its chat's phone (`@c.us`) and its hidden identity (`@lid`), and in groups with or without the author
 * (its issues 1309, 1464, 1892), so the bare id between is the one that joins them.
 */
import { readId } from "../../model/json_value.ts";

/** An id taken apart. */
export interface WahaMessageId {
  /** The id that WhatsApp gave the message. */
  readonly bare: string;
  /** The chat; undefined for a bare id. */
  readonly chat: string | undefined;
  /** Whether the session's own phone wrote it; undefined for a bare id. */
  readonly fromMe: boolean | undefined;
}

const fullForm = /^(true|false)_([^_@]+@[^_@]+)_([^_]+)(?:_.*)?$/;

/** The parts of an id; a text of another form is a bare id. */
export function parseWahaId(id: string): WahaMessageId {
  const [, own, chat, bare] = fullForm.exec(id) ?? [];
  return bare === undefined
    ? { bare: id, chat: undefined, fromMe: undefined }
    : { bare, chat, fromMe: own === "true" };
}

/**
 * The id of a message in any engine's form: a text, WEBJS's object (`_serialized`, `id`), or the key of
 * NOWEB (`key.id`). Undefined where there is none.
 */
export function readWahaId(json: unknown): WahaMessageId | undefined {
  const found = readId(json, "key", "id") ?? readId(json, "id", "_serialized") ??
    readId(json, "id", "id") ?? readId(json, "id");
  return found === undefined ? undefined : parseWahaId(found);
}

/** The bare id in a text at a path. */
export function readBareId(
  json: unknown,
  ...path: readonly (string | number)[]
): string | undefined {
  const id = readId(json, ...path);
  return id === undefined ? undefined : parseWahaId(id).bare;
}

/** The full id by which WAHA finds a message of a chat. WEBJS knows no other form. */
export function writeWahaId(chat: string, bare: string, fromMe: boolean): string {
  return `${fromMe}_${chat}_${bare}`;
}

/** The chat as WAHA addresses it: a hidden identity and a group are addresses already. */
export function toChatId(address: string): string {
  return address.includes("@") ? address : `${address}@c.us`;
}
