/** What a provider says that it bills for a number, for comparison with our sums. */
import type { AccountOptions } from "./template_listing.ts";

/** A span of time, and the number whose messages are asked for. */
export interface BilledUsageRequest extends AccountOptions {
  /** Digits with country code. */
  readonly connectedPhone: string;
  /** In Unix seconds; the end is not included. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Messages of one kind in one part of the span. Words are the provider's. */
export interface BilledPoint {
  readonly category: string | null;
  readonly type: string | null;
  readonly volume: number;
  /** In the account's currency. */
  readonly cost: number;
}

export type BilledUsage =
  | {
    readonly outcome: "read";
    /** Null where the provider does not tell. */
    readonly currency: string | null;
    readonly points: readonly BilledPoint[];
  }
  | { readonly outcome: "not_configured"; readonly message: string }
  | { readonly outcome: "failed"; readonly code: string; readonly message: string };
