import type {
  BudgetState,
  RateDifference,
  UsageComparison,
  UsageSums,
} from "../../model/usage_record.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type { Rpc } from "./rpc.ts";

export interface CostsRpcs {
  fold_usage: Rpc<
    { readonly maxChanges: number },
    { readonly folded: number; readonly isComplete: boolean }
  >;
  compare_usage: Rpc<CompareUsageRequest, UsageComparison>;
  find_billed_account: Rpc<UsageMonth, BilledAccount>;
  get_usage: Rpc<UsageRequest, UsagePage>;
  get_budget: Rpc<{ readonly instanceId: string }, BudgetState>;
  get_rates: Rpc<{ readonly workspaceId: string }, RateTable>;
  replace_rates: Rpc<
    RateTable & { readonly currency: string; readonly dryRun: boolean },
    RateDifference
  >;
}

/** The rates of a workspace. */
export interface RateTable {
  readonly workspaceId: string;
  /** Null while there are no rates. */
  readonly currency: string | null;
  readonly markets: readonly {
    readonly name: string;
    /** None: the market of all other phones. */
    readonly callingCodes: readonly string[];
  }[];
  readonly rates: readonly {
    readonly market: string;
    readonly category: string;
    /** Decimal text of the currency's unit. */
    readonly amount: string;
    /** A date, from its midnight in UTC. */
    readonly effectiveFrom: string;
  }[];
}

/** What to sum up, and by what. */
export interface UsageRequest {
  readonly instanceId: string;
  /** Days of the instance's time zone, both included. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: string;
  /** Whether each day has sums of its own. */
  readonly daily?: boolean | undefined;
  readonly limit: number;
  readonly after: UsageEnd | null;
}

interface UsageEnd {
  readonly day?: string | undefined;
  readonly key: string;
}

export type UsagePage = UsageSums & { readonly next: UsageEnd | null };

/** A month of the instance's time zone, `YYYY-MM`. */
export interface UsageMonth {
  readonly instanceId: string;
  readonly month: string;
}

/** The account at whose provider a month is billed. */
export interface BilledAccount {
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly connectedPhone: string;
  /** In Unix seconds; the end is not included. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A month, and what the provider says of it. */
export interface CompareUsageRequest extends UsageMonth {
  readonly currency: string | null;
  readonly points: readonly {
    readonly category: string | null;
    readonly type: string | null;
    readonly volume: number;
    readonly cost: number;
  }[];
}
