import * as z from "zod";
import { type ChannelKind, channelKinds } from "./records.ts";
import { waitUnlessClosing } from "./context.ts";
import { channelOf } from "./channels.ts";

const fields = z.object({
  provider: z.enum(channelKinds),
  /** Z-API instance id, Evolution instance name or Cloud phone number id. */
  instance: z.string().min(1),
  /** A local address only: the simulator calls no other machine. */
  url: z.url({ protocol: /^http$/, hostname: /^(?:127\.0\.0\.1|localhost)$/ }),
  /** The app secret at Meta, which signs every event of the official channel. */
  appSecret: z.string().min(1).optional(),
  /** The verify token that Meta sends when the address is registered. */
  verifyToken: z.string().min(1).optional(),
});
/** An instance's webhook as registered at the provider. */
export type Webhook = z.infer<typeof fields>;

/** A webhook with all fields that its provider requires. */
export const webhookSchema = fields.superRefine((webhook, { addIssue }) => {
  const { name, webhook: { requiredFields } } = channelOf(webhook.provider);
  if (requiredFields.every((field) => webhook[field] !== undefined)) return;
  addIssue({ code: "custom", message: `${name} needs ${requiredFields.join(" and ")}` });
});

/** Waits before each retry of an event that was not accepted, in milliseconds. */
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000];
const attemptTimeoutMs = 10_000;

/**
 * Delivers events to the registered webhooks. Delivers the events of one instance in order. Retries
 * each until it is accepted or its retries are used up, as providers do.
 */
export class Webhooks {
  readonly #byInstance = new Map<string, Webhook>();
  readonly #lines = new Map<string, Promise<void>>();

  constructor(private readonly closing: AbortSignal) {}

  /** Registers a webhook; replaces the instance's previous one. */
  register(webhook: Webhook): void {
    this.#byInstance.set(keyOf(webhook.provider, webhook.instance), webhook);
  }

  /** The webhooks without their secrets. */
  list(): Pick<Webhook, "provider" | "instance">[] {
    return [...this.#byInstance.values()].map(({ provider, instance }) => ({ provider, instance }));
  }

  has(provider: ChannelKind, instance: string): boolean {
    return this.#byInstance.has(keyOf(provider, instance));
  }

  /** Appends an event to the instance's queue; drops it if no webhook is registered. */
  send(provider: ChannelKind, instance: string, event: unknown): void {
    const key = keyOf(provider, instance);
    const webhook = this.#byInstance.get(key);
    if (webhook === undefined) return;
    const before = this.#lines.get(key) ?? Promise.resolve();
    this.#lines.set(key, before.then(() => deliver(webhook, event, this.closing)));
  }

  /** Resolves when nothing is delivered any more: after the closing, at once. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#lines.values());
  }
}

function keyOf(provider: ChannelKind, instance: string): string {
  return `${provider} ${instance}`;
}

async function deliver(webhook: Webhook, event: unknown, closing: AbortSignal): Promise<void> {
  for (const delayMs of [...retryDelaysMs, null]) {
    if (closing.aborted || await isSettled(webhook, event, closing)) return;
    if (delayMs !== null) await waitUnlessClosing(delayMs, closing);
  }
}

/** Whether a retry is pointless: the event was accepted, or refused because of its content. */
async function isSettled(
  webhook: Webhook,
  event: unknown,
  closing: AbortSignal,
): Promise<boolean> {
  const { body, headers } = await channelOf(webhook.provider).webhook.encode(event, webhook);
  try {
    const response = await fetch(webhook.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: new Blob([body]),
      signal: AbortSignal.any([closing, AbortSignal.timeout(attemptTimeoutMs)]),
    });
    await response.body?.cancel();
    return response.ok || [400, 401, 403, 404, 422].includes(response.status);
  } catch {
    return false;
  }
}
