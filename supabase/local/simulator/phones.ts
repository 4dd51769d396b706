/**
 * The customers' phones: they take what is sent to them, and their owners answer. What happens on a
 * phone reaches the service as the provider's webhook events, in the provider's own format.
 */
import * as z from "zod";
import { channelOf } from "./channels.ts";
import {
  channelKinds,
  type DeliveryStatus,
  type SimulatedMessage,
  type SimulatedReply,
  type SimulatedStatus,
} from "./records.ts";
import { arrivalMs, type SimulatorContext, waitUnlessClosing } from "./context.ts";

const phoneFields = {
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  /** The phone, by the number that the provider knows it by. */
  waId: z.string().regex(/^\d{8,15}$/),
};
const text = z.string().trim().min(1).max(4_096);

/** A person writes: the customer, or somebody of the company on the connected phone itself. */
export const replySchema = z.object({
  ...phoneFields,
  writtenBy: z.enum(["customer", "company"]).default("customer"),
  customerName: z.string().trim().min(1).max(100).default("Maria Silva"),
  replyTo: z.string().min(1).nullable().default(null),
  /** When it was written, if not just now: a conversation of yesterday has a closed window. */
  writtenAt: z.iso.datetime({ offset: true }).refine(
    (instant) => Date.parse(instant) <= Date.now(),
    "must not be in the future",
  ).optional(),
  content: z.discriminatedUnion("messageType", [
    z.object({ messageType: z.literal("text"), text }),
    z.object({
      messageType: z.enum(["image", "audio", "video", "document"]),
      mediaUrl: z.url({ protocol: /^https$/ }),
      text: text.nullable().default(null),
      fileName: z.string().min(1).max(255).nullable().default(null),
    }),
    z.object({
      messageType: z.enum(["list_choice", "button_choice"]),
      id: z.string().min(1).max(200),
      title: z.string().min(1).max(200),
    }),
  ]),
});

/** The owner opens the chat: all that has arrived on the phone counts as read. */
export const readingSchema = z.object(phoneFields);

/** Keeps what was written and tells the instance's webhook. */
export function writeReply(
  simulator: SimulatorContext,
  { writtenAt, ...request }: z.infer<typeof replySchema>,
): SimulatedReply {
  const channel = channelOf(request.provider);
  const reply = simulator.store.addReply({
    ...request,
    ...(writtenAt === undefined ? {} : { receivedAt: new Date(writtenAt).toISOString() }),
    providerMessageId: channel.createMessageId(),
  });
  simulator.webhooks.send(reply.provider, reply.instance, channel.composeMessage(reply));
  return reply;
}

/** Marks what has arrived on a phone as read. @returns how many messages that were. */
export function readChat(
  simulator: SimulatorContext,
  { provider, instance, waId }: z.infer<typeof readingSchema>,
): number {
  const isOnPhone = (record: SimulatedMessage | SimulatedStatus): boolean =>
    record.provider === provider && record.instance === instance && record.waId === waId;
  const { messages, statuses } = simulator.store.logs;
  const read = new Set(
    statuses.read({
      matches: (status) => isOnPhone(status) && status.status === "read",
      limit: statuses.capacity,
    }).items.map(({ providerMessageId }) => providerMessageId),
  );
  const unread = messages.read({ matches: isOnPhone, limit: messages.capacity }).items
    .filter(({ providerMessageId }) => !read.has(providerMessageId));
  for (const message of unread) reportStatus(simulator, message, "read");
  return unread.length;
}

/** From here on every message that arrives is reported as `sent` and `delivered`, as phones do. */
export function reportArrivals(simulator: SimulatorContext): void {
  simulator.store.subscribe((event) => {
    if (event.type !== "added" || event.kind !== "messages") return;
    const message = event.record as SimulatedMessage;
    if (!simulator.webhooks.has(message.provider, message.instance)) return;
    void reportArrival(simulator, message);
  });
}

/** The provider's answer goes out first; what it reports comes after. */
async function reportArrival(
  simulator: SimulatorContext,
  message: SimulatedMessage,
): Promise<void> {
  await waitUnlessClosing(arrivalMs, simulator.closing);
  if (simulator.closing.aborted) return;
  for (const status of ["sent", "delivered"] as const) reportStatus(simulator, message, status);
}

function reportStatus(
  simulator: SimulatorContext,
  { provider, instance, providerMessageId, waId, correlationId }: SimulatedMessage,
  status: DeliveryStatus,
): void {
  const record = simulator.store.addStatus({ provider, instance, providerMessageId, waId, status });
  const event = channelOf(provider).composeStatus({ ...record, status }, correlationId);
  simulator.webhooks.send(provider, instance, event);
}
