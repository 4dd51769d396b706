import type { PromotionPolicy } from "../../runtime/config.ts";
import type { Rpc } from "./rpc.ts";

export interface AvailabilityRpcs {
  note_server: Rpc<{ readonly promotion: PromotionPolicy; readonly renews: boolean }, NotedServer>;
}

/** What became of a note: see the SQL function. One caller hears of a promotion. */
export type NotedServer = { readonly state: "known" } | {
  readonly state: "promoted";
  readonly timeline: number;
  /** Whether commits of the server before may be missing. */
  readonly lacksCommits: boolean;
  /** The last commit that came from the server before; null where the server does not know. */
  readonly replayedAt: string | null;
  /** How many instances are held for it. */
  readonly held: number;
};
