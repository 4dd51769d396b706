import type { ConversationWindows } from "./conversation_windows.ts";
import type { FaultPlan } from "./faults.ts";
import type { Store } from "./store.ts";
import type { TemplateLibrary } from "./template_library.ts";
import type { Webhooks } from "./webhooks.ts";

/** What every simulated service works with. */
export interface SimulatorContext {
  readonly store: Store;
  readonly faults: FaultPlan;
  /** Whom the official channel takes free text for. */
  readonly windows: ConversationWindows;
  /** What the official channel knows of templates. */
  readonly templates: TemplateLibrary;
  /** Where each instance's events go. */
  readonly webhooks: Webhooks;
  /** Aborted when the stack stops: whatever waits ends at once. */
  readonly closing: AbortSignal;
  /** How long a `timeout` fault keeps a caller waiting before the gateway gives up (504). */
  readonly timeoutHoldMs: number;
  /** The account's security token at Z-API; undefined while that protection is off. */
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
