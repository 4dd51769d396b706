import type { PromotionPolicy } from "../../runtime/config.ts";
import type { Rpc } from "./rpc.ts";

export interface AvailabilityRpcs {
  has_replayed: Rpc<Pick<PrimaryPosition, "server" | "lsn">, boolean>;
  note_server: Rpc<{ readonly promotion: PromotionPolicy; readonly renews: boolean }, NotedServer>;
  read_position: Rpc<PositionRequest, PrimaryPosition>;
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

export interface PositionRequest {
  /** Whose feeds are read at the position. */
  readonly instanceIds: readonly string[];
  /** `settledThrough` of the answer before; null for none. */
  readonly settledThrough: number | null;
}

/** What a standby must have replayed to answer as the primary does: see the SQL function. */
export interface PrimaryPosition {
  /** The cluster and timeline that were noted last; null where none was. */
  readonly server: string | null;
  /** Position in the write-ahead log. */
  readonly lsn: string;
  /** By instance, the number up to which its feed can be read. */
  readonly horizons: Readonly<Record<string, number>>;
  /** For the next request. */
  readonly settledThrough: number | null;
}
