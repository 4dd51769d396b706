import type { EventType } from "../../model/event_types.ts";
import type { Rpc } from "./rpc.ts";

export interface EventsRpcs {
  read_events: Rpc<FeedQuery, FeedPage>;
}

/** A page of an instance's feed. */
export interface FeedQuery {
  readonly instanceId: string;
  /** A cursor, or `oldest`; null for now. */
  readonly after: string | null;
  /** Null for all types. */
  readonly types: readonly EventType[] | null;
  readonly limit: number;
  /** Whether the reader looks again where it finds nothing: an event may come with a later look. */
  readonly isWaiting?: boolean;
}

/** An event as the feed and the webhooks give it. */
export interface EventRecord {
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly instanceId: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type FeedPage =
  | {
    readonly state: "ok";
    /** Oldest first. */
    readonly items: readonly EventRecord[];
    readonly nextCursor: string;
    readonly hasMore: boolean;
  }
  /** The cursor was not made for this instance. */
  | { readonly state: "unknown_cursor" }
  /** Events after the cursor are gone. */
  | { readonly state: "expired"; readonly oldestCursor: string };
