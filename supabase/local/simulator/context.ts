import type { FileStore } from "./file_store.ts";
import type { Connections } from "./connections.ts";
import type { FaultPlan } from "./faults.ts";
import type { Store } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

/** From a message's acceptance to its arrival on the phone, in milliseconds. */
export const arrivalMs = 100;

/** The state and services that every simulated service uses. */
export interface SimulatorContext {
  readonly store: Store;
  readonly faults: FaultPlan;
  /** Files that customers sent, or that the official channel took over. */
  readonly files: FileStore;
  readonly connections: Connections;
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

/** Waits `ms` milliseconds, or until the stack stops. Never rejects. */
export function waitUnlessClosing(ms: number, closing: AbortSignal): Promise<void> {
  if (ms <= 0 || closing.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      closing.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    closing.addEventListener("abort", finish);
  });
}
