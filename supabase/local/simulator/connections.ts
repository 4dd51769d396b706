/**
 * The sessions of gateways with the company's phone, and what the official channel lets an account do.
 * A lost one refuses every send. The provider reports every change to the instance's webhook. A phone is paired
 * by scanning a QR code, which ends after 20 seconds, or by typing a code.
 */
import * as z from "zod";
import type { Channel } from "./channel.ts";
import { channelOf } from "./channels.ts";
import { channelKinds } from "./records.ts";
import type { Store } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

export const connectionSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  state: z.enum(["connected", "disconnected"]),
});
export type Connection = z.infer<typeof connectionSchema>;

/**
 * What a gateway does when it is asked about a session. `slow`: it has no code at first. `passkey`: the account
 * asks for its passkey. `error`: an error with status 200. `down`: a proxy answers in its place. `absent`: WAHA has no session of this name.
 */
export const sessionBehaviors = ["normal", "slow", "passkey", "error", "down", "absent"] as const;

/** Changes what a gateway does. */
export const sessionSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  behavior: z.enum(sessionBehaviors),
});

/** A phone pairs with the code that it scans or types; without one with the code that is shown now. */
export const pairingSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  phone: z.string().regex(/^\d{8,15}$/),
  code: z.string().min(1).max(1_000).optional(),
});

/** How long a QR code can be scanned, in milliseconds; and a code typed. */
const [qrLifetimeMs, codeLifetimeMs] = [20_000, 180_000];

interface Code {
  readonly text: string;
  readonly endsAtMs: number;
}

/** The session of one instance. */
interface Session {
  isLost: boolean;
  behavior: (typeof sessionBehaviors)[number];
  /** The phone that was paired; undefined where nobody has said which one it is. */
  phone?: string | undefined;
  /** Where the instance's owner has set events to go by a call; undefined where the registration holds. */
  webhookUrl?: string | undefined;
  /** Which events, where a gateway asks for that. */
  webhookEvents?: readonly string[] | undefined;
  /** Whether a code was asked for since the session was lost. */
  isPairing: boolean;
  qr?: Code | undefined;
  typed?: Code | undefined;
}

/** Which instances have lost their connection, and what waits to be scanned or typed. */
export class Connections {
  readonly #sessions = new Map<string, Session>();

  /** @param registeredPhone the phone that was named with an instance's webhook. */
  constructor(
    private readonly now: () => number,
    private readonly registeredPhone: (provider: string, instance: string) => string | undefined,
  ) {}

  isLost(provider: string, instance: string | undefined): boolean {
    return this.#sessions.get(`${provider} ${instance}`)?.isLost ?? false;
  }

  set({ provider, instance, state }: Connection): void {
    const session = this.session(provider, instance);
    session.isLost = state === "disconnected";
    this.#endPairing(session);
  }

  /** The session of an instance, which is connected until it is lost. */
  session(provider: string, instance: string): Session {
    const key = `${provider} ${instance}`;
    const known: Session = this.#sessions.get(key) ??
      { isLost: false, isPairing: false, behavior: "normal" };
    known.phone ??= this.registeredPhone(provider, instance);
    this.#sessions.set(key, known);
    return known;
  }

  /** The present QR code of a lost session; undefined where a slow gateway has none yet. */
  showQr(session: Session): string | undefined {
    const isFirst = !session.isPairing;
    session.isPairing = true;
    if (isFirst && session.behavior === "slow") return undefined;
    if (session.qr === undefined || session.qr.endsAtMs <= this.now()) {
      const text = `2@${createCode(43)},${createCode(43)},${createCode(43)}`;
      session.qr = { text, endsAtMs: this.now() + qrLifetimeMs };
    }
    return session.qr.text;
  }

  /** A code to type, which is made anew each time. */
  showTypedCode(session: Session): string {
    session.isPairing = true;
    session.typed = { text: createCode(8), endsAtMs: this.now() + codeLifetimeMs };
    return session.typed.text;
  }

  /** Pairs a phone. False where the code is over, or is none of this session. */
  pair({ provider, instance, phone, code }: z.infer<typeof pairingSchema>): boolean {
    const session = this.session(provider, instance);
    const shown = [session.qr, session.typed].filter((one) =>
      one !== undefined && one.endsAtMs > this.now()
    );
    const isKnown = shown.some((one) => code === undefined || one?.text === code);
    if (!session.isLost || !isKnown) return false;
    session.phone = phone;
    session.isLost = false;
    this.#endPairing(session);
    return true;
  }

  #endPairing(session: Session): void {
    session.isPairing = false;
    session.qr = undefined;
    session.typed = undefined;
  }
}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ123456789";

function createCode(characters: number): string {
  return [...crypto.getRandomValues(new Uint8Array(characters))]
    .map((byte) => alphabet[byte % alphabet.length]).join("");
}

/** Where connections are kept, and where a change of one is reported. */
export interface ConnectionServices {
  readonly connections: Connections;
  readonly webhooks: Webhooks;
  readonly store: Store;
}

/** A connection as the console shows it. */
interface ListedConnection extends Connection, Pick<Session, "isPairing" | "behavior"> {
  /** Whether phones pair with it: not at the official channel. */
  readonly hasCodes: boolean;
  /** The phone that was named with the webhook; null where none was. */
  readonly ownPhone: string | null;
}

/** The connection of each instance with a webhook, and whether a code waits to be scanned. */
export function listConnections(
  { webhooks, connections }: Pick<ConnectionServices, "webhooks" | "connections">,
): ListedConnection[] {
  return webhooks.list().map(({ provider, instance }) => {
    const { isLost, isPairing, behavior } = connections.session(provider, instance);
    return {
      ...{ provider, instance, state: isLost ? "disconnected" : "connected", isPairing, behavior },
      hasCodes: channelOf(provider).isOfficial !== true,
      ownPhone: webhooks.phoneOf(provider, instance) ?? null,
    };
  });
}

/** Changes a connection of the channel, and reports it to the instance's webhook. */
export function changeConnection(
  { connections, webhooks, store }: ConnectionServices,
  channel: Channel,
  connection: Connection,
): void {
  connections.set(connection);
  reportConnection({ connections, webhooks, store }, channel, connection);
}

/** Reports to the instance's webhook what has become of its connection. */
export function reportConnection(
  { connections, webhooks, store }: ConnectionServices,
  channel: Channel,
  { provider, instance, state }: Connection,
): void {
  const { phone } = connections.session(provider, instance);
  const change = { instance, state, phone, at: store.now().toISOString() };
  webhooks.send(channel.kind, instance, channel.composeConnection(change));
  store.announce({ type: "faults_changed" });
}

/**
 * A customer of a gateway sets the address of the events. The simulator calls addresses of this machine alone: it
 * remembers any other, and goes on calling the former.
 */
export function setWebhook(
  { connections, webhooks }: Pick<ConnectionServices, "connections" | "webhooks">,
  channel: Channel,
  { instance, url, events, appSecret }: {
    readonly instance: string;
    readonly url: string;
    readonly events?: readonly string[];
    /** Signs what is delivered, where the channel signs. */
    readonly appSecret?: string | undefined;
  },
): void {
  const session = connections.session(channel.kind, instance);
  session.webhookUrl = url;
  session.webhookEvents = events;
  const webhook = { provider: channel.kind, instance, url, phone: session.phone, appSecret };
  if (/^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(url)) webhooks.register(channel, webhook);
}

/** What stands for a gateway that is down: the page of the proxy before it. */
export function answerAsProxy(): Response {
  return new Response("<!doctype html><title>502 Bad Gateway</title>", {
    status: 502,
    headers: { "Content-Type": "text/html; charset=utf-8" },
  });
}
