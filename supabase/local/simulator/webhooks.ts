import * as z from "zod";
import { type ChannelKind, channelKinds } from "./records.ts";
import { waitUnlessClosing } from "./context.ts";
import { signBody } from "./webhook_signature.ts";

/** An instance's webhook, as one registers it at the provider. */
export const webhookSchema = z.object({
  provider: z.enum(channelKinds),
  /** Z-API instance id, Evolution instance name or Cloud phone number id. */
  instance: z.string().min(1),
  /** The simulated world speaks to this machine only. */
  url: z.url({ protocol: /^http$/, hostname: /^(?:127\.0\.0\.1|localhost)$/ }),
  /** Of the app at Meta: signs every event of the official channel. */
  appSecret: z.string().min(1).optional(),
  /** Shown by Meta when the address is registered, before it is used. */
  verifyToken: z.string().min(1).optional(),
}).refine(
  ({ provider, appSecret, verifyToken }) =>
    provider !== "whatsapp_cloud" || (appSecret !== undefined && verifyToken !== undefined),
  "the official channel needs appSecret and verifyToken",
);
export type Webhook = z.infer<typeof webhookSchema>;

/** Waits before each further try of an event that was not taken, in milliseconds. */
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000];
const attemptTimeoutMs = 10_000;

/**
 * Delivers events to the registered webhooks: those of an instance in their order, each again until
 * it is taken or its tries are used up, as providers do.
 */
export class Webhooks {
  readonly #byInstance = new Map<string, Webhook>();
  readonly #lines = new Map<string, Promise<void>>();

  constructor(private readonly closing: AbortSignal) {}

  /** Registers a webhook in the place of the instance's former one. */
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

  /** Puts an event in the instance's line; without a webhook nobody is told. */
  send(provider: ChannelKind, instance: string, event: unknown): void {
    const key = keyOf(provider, instance);
    const webhook = this.#byInstance.get(key);
    if (webhook === undefined) return;
    const before = this.#lines.get(key) ?? Promise.resolve();
    this.#lines.set(key, before.then(() => deliver(webhook, event, this.closing)));
  }
}

function keyOf(provider: ChannelKind, instance: string): string {
  return `${provider} ${instance}`;
}

/**
 * Asks the address for the challenge, as Meta does before it uses one.
 *
 * @returns whether the challenge came back.
 */
export async function verifyWebhook({ url, verifyToken }: Webhook): Promise<boolean> {
  const challenge = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  const address = new URL(url);
  address.searchParams.set("hub.mode", "subscribe");
  address.searchParams.set("hub.challenge", challenge);
  address.searchParams.set("hub.verify_token", verifyToken ?? "");
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(attemptTimeoutMs) });
    return response.status === 200 && await response.text() === challenge;
  } catch {
    return false;
  }
}

async function deliver(webhook: Webhook, event: unknown, closing: AbortSignal): Promise<void> {
  for (const delayMs of [...retryDelaysMs, null]) {
    if (closing.aborted || await isSettled(webhook, event)) return;
    if (delayMs !== null) await waitUnlessClosing(delayMs, closing);
  }
}

/** Whether no other try is worth it: the event was taken, or refused for what it is. */
async function isSettled(webhook: Webhook, event: unknown): Promise<boolean> {
  const body = webhook.provider === "whatsapp_cloud" ? escapeJson(event) : JSON.stringify(event);
  const headers = new Headers({ "Content-Type": "application/json" });
  if (webhook.appSecret !== undefined) {
    headers.set(
      "X-Hub-Signature-256",
      await signBody(new TextEncoder().encode(body), webhook.appSecret),
    );
  }
  try {
    const response = await fetch(webhook.url, {
      method: "POST",
      headers,
      body: new Blob([body]),
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    await response.body?.cancel();
    return response.ok || [400, 401, 403, 404, 422].includes(response.status);
  } catch {
    return false;
  }
}

/** Meta escapes all that is not ASCII, in lower case, and signs what it sends. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
