/** Webhooks of Z-API, posted to a running stack. */

import { measureBatch } from "./load.ts";
import { messageText } from "./product_calls.ts";
import { serveProviderDouble } from "./provider_double.ts";
import { post, type StackInstance, type StackProcess } from "./stack_process.ts";

const connections = 16;
const instanceCount = 20;
/** The persons of `known`. */
export const knownPersons = 1_000;
/** Of the bench's instances, see `createInstance`. */
export const webhookSecret = "bench-webhook-secret-0123456789";

/** What webhooks are about: messages of known contacts, of new ones, delivery events. */
export const webhookSubjects = ["known", "new", "status"] as const;
type Subject = typeof webhookSubjects[number];

/** A running release that receives webhooks. */
export interface WebhookSide extends AsyncDisposable {
  /**
   * Prepares webhooks: those of `status` are about messages that it sends now.
   *
   * @returns what posts them. It gives how many came in a second.
   */
  prepare(subject: Subject, count: number): Promise<() => Promise<number>>;
}

/** Creates instances of a double that posts webhooks of Z-API to the stack. */
export async function openWebhookSide(stack: StackProcess): Promise<WebhookSide> {
  const sent: { readonly providerMessageId: string; readonly instance: number }[] = [];
  const double = serveProviderDouble(0, ({ message, messageId }) => {
    sent.push({ providerMessageId: messageId, instance: Number(message) });
  });
  const baseUrl = `http://127.0.0.1:${double.addr.port}`;
  const instances = await stack.createInstances(instanceCount, baseUrl);
  let sequence = 0;

  const postWebhook = (number: number, payload: Readonly<Record<string, unknown>>) => {
    const { instanceId } = instances[number] as StackInstance;
    const url = `${stack.origin}/functions/v1/provider-webhook/zapi/${instanceId}/${webhookSecret}`;
    return post(url, {}, { instanceId: `BENCH${number}`, ...payload });
  };
  const postMessage = (person: number): Promise<unknown> => {
    sequence += 1;
    return postWebhook(sequence % instanceCount, composeMessage(sequence, person));
  };
  const sendMessages = async (count: number): Promise<void> => {
    const call = (place: number): Promise<unknown> =>
      stack.send(instances[place % instanceCount] as StackInstance, {
        phone: String(5_521_990_000_000 + place),
        messageType: "text",
        message: String(place % instanceCount),
      });
    await measureBatch({ callers: connections, count, call });
  };

  const prepare = async (subject: Subject, count: number): Promise<() => Promise<number>> => {
    if (subject === "status") await sendMessages(count);
    const told = sent.splice(0);
    const calls: Readonly<Record<Subject, (place: number) => Promise<unknown>>> = {
      known: (place) => postMessage(place % knownPersons),
      new: () => postMessage(sequence),
      status: (place) => {
        const { instance, providerMessageId } = told[place] as typeof told[number];
        return postWebhook(instance, composeStatus(providerMessageId));
      },
    };
    return () => measureBatch({ callers: connections, count, call: calls[subject] });
  };

  return {
    prepare,
    [Symbol.asyncDispose]: () => double.shutdown(),
  };
}

/** A text that a person writes, as Z-API tells it. */
export function composeMessage(
  sequence: number,
  person: number,
): Readonly<Record<string, unknown>> {
  return {
    type: "ReceivedCallback",
    messageId: `3EB0BENCH${String(sequence).padStart(12, "0")}`,
    phone: String(5_531_980_000_000 + person),
    fromMe: false,
    fromApi: false,
    momment: Date.now(),
    status: "RECEIVED",
    chatName: `Cliente ${person}`,
    senderName: `Cliente ${person}`,
    participantPhone: null,
    isGroup: false,
    isNewsletter: false,
    isEdit: false,
    waitingMessage: false,
    broadcast: false,
    text: { message: messageText },
  };
}

function composeStatus(providerMessageId: string): Readonly<Record<string, unknown>> {
  return {
    type: "MessageStatusCallback",
    status: "RECEIVED",
    ids: [providerMessageId],
    momment: Date.now(),
    phone: "5521990000000",
    phoneDevice: 0,
    isGroup: false,
  };
}
