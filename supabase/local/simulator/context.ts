import type { Connections } from "./connections.ts";
import type { FaultPlan } from "./faults.ts";
import type { FileStore } from "./file_store.ts";
import type { FreeEntryPoints } from "./free_entry_points.ts";
import type { Responders } from "./responders.ts";
import type { Store } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

/** The state and services that every simulated service uses. */
export interface SimulatorContext {
  readonly store: Store;
  readonly faults: FaultPlan;
  /** Files that customers sent, or that the official channel took over. */
  readonly files: FileStore;
  readonly connections: Connections;
  /** Chats that an ad or post has brought, which the official channel does not bill. */
  readonly freeEntryPoints: FreeEntryPoints;
  /** Who of the official channel's responders holds which conversation. */
  readonly responders: Responders;
  /** The registered webhook of each instance. */
  readonly webhooks: Webhooks;
  /** Aborted when the stack stops; ends every wait. */
  readonly closing: AbortSignal;
  /**
   * How long a `timeout` fault delays the answer until the gateway gives up (504), in milliseconds.
   */
  readonly timeoutHoldMs: number;
  /** The account's security token at Z-API; undefined if that protection is off. */
  readonly zapiClientToken: string | undefined;
}
