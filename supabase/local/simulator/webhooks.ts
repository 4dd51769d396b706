import type { Channel, ChannelWebhook, Webhook } from "./channel.ts";
import type { ChannelKind } from "./records.ts";
import { waitUnlessClosing } from "./waits.ts";

/** Waits before each retry of an event that was not accepted, in milliseconds. */
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000];
const attemptTimeoutMs = 10_000;

interface Registration {
  readonly caller: ChannelWebhook;
  readonly webhook: Webhook;
}

/**
 * Delivers events to the registered webhooks. Delivers the events of one instance in order. Retries
 * each until it is accepted or its retries are used up, as providers do.
 */
export class Webhooks {
  readonly #byInstance = new Map<string, Registration>();
  readonly #lines = new Map<string, Promise<void>>();

  constructor(private readonly closing: AbortSignal) {}

  /** Registers a webhook that the channel calls; replaces the instance's previous one. */
  register({ webhook: caller }: Channel, webhook: Webhook): void {
    this.#byInstance.set(keyOf(webhook.provider, webhook.instance), { caller, webhook });
  }

  /** The webhooks without their secrets. */
  list(): Pick<Webhook, "provider" | "instance">[] {
    return [...this.#byInstance.values()]
      .map(({ webhook: { provider, instance } }) => ({ provider, instance }));
  }

  has(provider: ChannelKind, instance: string): boolean {
    return this.#byInstance.has(keyOf(provider, instance));
  }

  /** Where an instance's events go. */
  urlOf(provider: string, instance: string): string | undefined {
    return this.#byInstance.get(keyOf(provider, instance))?.webhook.url;
  }

  /** The phone that was named with the instance's webhook. */
  phoneOf(provider: string, instance: string): string | undefined {
    return this.#byInstance.get(keyOf(provider, instance))?.webhook.phone;
  }

  /** Appends an event to the instance's queue; drops it if no webhook is registered. */
  send(provider: ChannelKind, instance: string, event: unknown): void {
    const key = keyOf(provider, instance);
    const registration = this.#byInstance.get(key);
    if (registration === undefined) return;
    const before = this.#lines.get(key) ?? Promise.resolve();
    this.#lines.set(key, before.then(() => deliver(registration, event, this.closing)));
  }

  /** Resolves when nothing is delivered any more: after the closing, at once. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#lines.values());
  }
}

function keyOf(provider: string, instance: string): string {
  return `${provider} ${instance}`;
}

async function deliver(
  registration: Registration,
  event: unknown,
  closing: AbortSignal,
): Promise<void> {
  for (const delayMs of [...retryDelaysMs, null]) {
    if (closing.aborted || await isSettled(registration, event, closing)) return;
    if (delayMs !== null) await waitUnlessClosing(delayMs, closing);
  }
}

/** Whether a retry is pointless: the event was accepted, or refused because of its content. */
async function isSettled(
  { caller, webhook }: Registration,
  event: unknown,
  closing: AbortSignal,
): Promise<boolean> {
  const { body, headers } = await caller.encode(event, webhook);
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
