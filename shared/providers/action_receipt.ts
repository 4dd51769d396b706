/** The outcomes of what a channel is asked beside sending. */
import type { ActionReceipt, Receipt } from "./provider.ts";

export const actionDone: ActionReceipt = { outcome: "done" };
export const actionNotSupported: ActionReceipt = { outcome: "not_supported" };

/** The outcome of an action that is answered as a send is: an acceptance means that it is done. */
export function toActionReceipt(receipt: Receipt): ActionReceipt {
  return receipt.outcome === "accepted" ? actionDone : receipt;
}
