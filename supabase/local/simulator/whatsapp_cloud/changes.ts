/** Edits, deletions and changed user ids as Meta tells them (page Webhooks: edit, revoke, system). */
import * as z from "zod";
import { userIdSchema } from "../phone_fields.ts";
import type { SimulatedChange } from "../records.ts";
import { toSeconds, wrap } from "./events.ts";

/** The notice has an id of its own, and names the message that it is about. */
export function composeCloudChange(change: SimulatedChange): Record<string, unknown> {
  const { instance, waId, receivedAt, providerMessageId, text, writtenBy } = change;
  const original_message_id = providerMessageId;
  const notice = {
    ...createNotice(receivedAt),
    ...(text === null ? { type: "revoke", revoke: { original_message_id } } : {
      type: "edit",
      edit: { original_message_id, message: { type: "text", text: { body: text } } },
    }),
  };
  return writtenBy === "company"
    ? wrap(change, "smb_message_echoes", {
      message_echoes: [{ from: instance, to: waId, ...notice }],
    })
    : wrap(change, "messages", {
      contacts: [{ wa_id: waId }],
      messages: [{ from: waId, ...notice }],
    });
}

function createNotice(at: string): { readonly id: string; readonly timestamp: string } {
  return { id: `wamid.${crypto.randomUUID().replaceAll("-", "")}`, timestamp: toSeconds(at) };
}

/** Where the channel tells the former user id: three places, by version. */
export const formerIdPlaces = ["previous_user_id", "body", "user_id_update"] as const;

/** A customer's user id changes, as with a new number. */
export const userIdChangeSchema = z.object({
  instance: z.string().min(1),
  previousUserId: userIdSchema,
  userId: userIdSchema,
  toldIn: z.enum(formerIdPlaces).default("previous_user_id"),
});

/** The system message, or the field of its own, by which a changed user id is told. */
export function composeUserIdChange(
  { instance, previousUserId, userId, toldIn }: z.infer<typeof userIdChangeSchema>,
  at: string,
): Record<string, unknown> {
  if (toldIn === "user_id_update") {
    const user_id = { previous: previousUserId, current: userId };
    return wrap({ instance }, "user_id_update", { user_id_update: [{ user_id }] });
  }
  const body = `User Maria Silva changed from ${previousUserId} to ${userId}`;
  const system = {
    type: "user_changed_user_id",
    ...(toldIn === "body" ? { body } : { user_id: userId, previous_user_id: previousUserId }),
  };
  const notice = { ...createNotice(at), type: "system", system };
  return wrap({ instance }, "messages", { messages: [notice] });
}
