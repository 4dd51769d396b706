/** What people change of their messages afterwards: words, or the whole message for everyone. */
import * as z from "zod";
import { channelOf } from "./channels.ts";
import type { SimulatorContext } from "./context.ts";
import { instanceFields, textSchema } from "./phone_fields.ts";
import type { SimulatedChange } from "./records.ts";

const messageFields = {
  ...instanceFields,
  /** The provider's id of the message. */
  providerMessageId: z.string().min(1),
};

/** The author gives a message new words. */
export const editSchema = z.object({ ...messageFields, text: textSchema });

/** The author deletes a message for everyone. */
export const deletionSchema = z.object(messageFields);

/**
 * Records a change, and tells it to the instance's webhook in the provider's own words. Undefined where the
 * simulator has no such message: written on a phone, or sent through the provider's API and then changed
 * on the company's phone.
 */
export function changeMessage(
  simulator: SimulatorContext,
  request: z.infer<typeof deletionSchema> & {
    readonly text?: string;
    /** Whether the sender asked for it through the provider's API. */
    readonly isByApi?: boolean;
  },
): SimulatedChange | undefined {
  const { provider, instance, providerMessageId, text = null, isByApi = false } = request;
  const author = findAuthor(simulator, request);
  if (author === undefined) return undefined;
  const change = simulator.store.addChange({
    ...{ provider, instance, providerMessageId, ...author, isByApi },
    ...(text === null ? { change: "deleted", text } : { change: "edited", text }),
  });
  simulator.webhooks.send(provider, instance, channelOf(provider).composeChange(change));
  return change;
}

function findAuthor(
  { store: { logs } }: SimulatorContext,
  sought: z.infer<typeof deletionSchema>,
): Pick<SimulatedChange, "waId" | "writtenBy"> | undefined {
  const matches = (one: z.infer<typeof deletionSchema>): boolean =>
    one.provider === sought.provider && one.instance === sought.instance &&
    one.providerMessageId === sought.providerMessageId;
  const [written] = logs.replies.read({ matches, limit: 1 }).items;
  if (written !== undefined) return { waId: written.waId, writtenBy: written.writtenBy };
  const [sent] = logs.messages.read({ matches, limit: 1 }).items;
  return sent === undefined ? undefined : { waId: sent.waId, writtenBy: "company" };
}
