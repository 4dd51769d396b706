/** Takes a message out of the members that WhatsApp's protocol wraps it in. */
import { hasObject } from "../webhooks/values.ts";
import { readId, readValue } from "../../model/json_value.ts";

/** A message without its wrappers, and their names from the outermost one on. */
export interface UnwrappedMessage {
  readonly message: unknown;
  readonly wrappers: readonly string[];
  /** The id of the message that a comment is about. */
  readonly targetId: string | undefined;
}

/** Wrappers of an edit. They hold the message in its new version. */
const editMembers = { editedMessage: "message", protocolMessage: "editedMessage" } as const;
/** Members that stand beside a message of any kind. */
const besides = new Set(["contextInfo", "messageContextInfo"]);
const MAX_WRAPPINGS = 8;

/**
 * The innermost message; of an edit the new version. WhatsApp adds wrappers with each release, so none
 * is known by name: every wrapper holds a whole message in its member `message` (Baileys 7.0,
 * `FutureProofMessage`, `CommentMessage`, `DeviceSentMessage`), and no kind of content holds an object there.
 */
export function unwrapMessage(message: unknown): UnwrappedMessage {
  return unwrap(message, (outer) => findWrapper(outer) ?? findEdit(outer));
}

/** As `unwrapMessage`, up to the wrapper of an edit. */
export function unwrapToEdit(message: unknown): UnwrappedMessage {
  return unwrap(message, findWrapper);
}

/** WhatsApp's own message about another message: an edit, a deletion. */
export function readProtocolMessage(data: unknown): unknown {
  const { message } = unwrapToEdit(readValue(data, "message"));
  const { message: inner } = unwrapToEdit(
    readValue(message, "editedMessage", "message") ?? message,
  );
  return readValue(inner, "protocolMessage");
}

/** Whether a message is the new version of another one: WhatsApp wraps it as such. */
export function isEditMessage(data: unknown): boolean {
  return findEdit(unwrapToEdit(readValue(data, "message")).message) !== undefined;
}

type Wrapper = readonly [member: string, inner: string];

function unwrap(
  message: unknown,
  find: (outer: unknown) => Wrapper | undefined,
): UnwrappedMessage {
  const wrappers: string[] = [];
  let [inner, targetId]: [unknown, string | undefined] = [message, undefined];
  while (wrappers.length < MAX_WRAPPINGS) {
    const wrapper = find(inner);
    if (wrapper === undefined) break;
    const [member, held] = wrapper;
    targetId = readId(inner, member, "targetMessageKey", "id") ?? targetId;
    inner = readValue(inner, member, held);
    wrappers.push(member);
  }
  return { message: inner, wrappers, targetId };
}

function findWrapper(outer: unknown): Wrapper | undefined {
  if (typeof outer !== "object" || outer === null) return undefined;
  const member = Object.keys(outer).find((name) =>
    !besides.has(name) && !Object.hasOwn(editMembers, name) && hasObject(outer, name, "message")
  );
  return member === undefined ? undefined : [member, "message"];
}

function findEdit(outer: unknown): Wrapper | undefined {
  return Object.entries(editMembers).find(([member, held]) =>
    readValue(outer, member, held) !== undefined
  );
}
