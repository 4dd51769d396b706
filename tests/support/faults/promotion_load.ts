/** What goes on while a primary is killed: calls that send, a reader of the feed, and a webhook's receiver. */

import { setTimeout as delay } from "node:timers/promises";
import { callUntilAnswered } from "../stack/sender_calls.ts";
import type { Tenant } from "../fixtures/tenant.ts";

/** Where the functions are. */
export interface Service {
  readonly origin: string;
}

export interface SendingLoad {
  /** How many calls have been answered. */
  answered(): number;
  /** Starts no more calls. @returns the number of calls, when all are answered. */
  end(): Promise<number>;
}

/** More would only wait, on a slow machine. Those of an outage wait for its end. */
const mostUnderWay = 400;

/** Sends `perSecond` messages a second, each with a key under which it is repeated until it is answered. */
export function startSending(
  { origin }: Service,
  tenant: Tenant,
  perSecond: number,
): SendingLoad {
  const calls: Promise<void>[] = [];
  let answered = 0;
  const call = async (number: number): Promise<void> => {
    const key = `direct-${number}`;
    const phone = `55119${String(number % 500).padStart(8, "0")}`;
    const body = { phone, messageType: "text", message: key };
    const sender = { url: `${origin}/functions/v1/send-message` };
    const { status } = await callUntilAnswered(sender, tenant, key, body);
    // 504: what the provider answered could not be recorded in time; it is not sent again by itself.
    if (![200, 504].includes(status)) throw new Error(`${key}: ${status}`);
    answered += 1;
  };
  const timer = setInterval(() => {
    if (calls.length - answered < mostUnderWay) calls.push(call(calls.length));
  }, 1_000 / perSecond);
  return {
    answered: () => answered,
    end: async () => {
      clearInterval(timer);
      await Promise.all(calls);
      return calls.length;
    },
  };
}

/** An event as the feed gives it. */
export interface ReadEvent {
  readonly id: string;
  readonly sequence: number;
}

export interface FeedFollower {
  /** What was read, in the order of reading. */
  readonly events: readonly ReadEvent[];
  /** Answers of `cursor_expired`, after which it went on where it was told to. */
  readonly expired: number;
  /** Reads to the end of the feed and stops. */
  end(): Promise<void>;
}

/** Reads an instance's feed from now on, by its cursor, as a consumer does that keeps it. */
export async function followFeed(
  { origin }: Service,
  tenant: Tenant,
  waitSeconds = 1,
): Promise<FeedFollower> {
  const events: ReadEvent[] = [];
  let expired = 0;
  let isEnding = false;
  const read = async (after: string | null): Promise<Page> => {
    const query = new URLSearchParams({
      ...{
        instanceId: tenant.instanceId,
        limit: "100",
        waitSeconds: `${isEnding || after === null ? 0 : waitSeconds}`,
      },
      ...after === null ? {} : { after },
    });
    for (;;) {
      const page = await readOnce(`${origin}/functions/v1/events-api/events?${query}`, tenant);
      if (page !== null) return page;
      await delay(50);
    }
  };
  let { nextCursor } = await read(null);
  const follow = async (): Promise<void> => {
    for (;;) {
      const isLast = isEnding;
      const page = await read(nextCursor);
      events.push(...page.items);
      expired += page.isExpired ? 1 : 0;
      nextCursor = page.nextCursor;
      if (isLast && page.items.length === 0 && !page.isExpired) return;
    }
  };
  const following = follow();
  return {
    events,
    get expired(): number {
      return expired;
    },
    end: async () => {
      isEnding = true;
      await following;
    },
  };
}

interface Page {
  readonly items: readonly ReadEvent[];
  readonly nextCursor: string;
  readonly isExpired?: boolean;
}

/** Null where nothing was answered, or that the service is unavailable. */
async function readOnce(url: string, { token }: Tenant): Promise<Page | null> {
  const response = await fetch(url, { headers: { "x-client-token": token } }).catch(() => null);
  if (response === null) return null;
  const body = await response.json().catch(() => null);
  if (body === null || response.status === 503) return null;
  if (response.status === 200) return body;
  if (response.status !== 410) throw new Error(`the feed answered ${response.status}`);
  return { items: [], nextCursor: body.oldestCursor, isExpired: true };
}
