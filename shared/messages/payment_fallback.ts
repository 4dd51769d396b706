/** A message about a payment that goes as text, because its channel has refused its own form. */
import type { Database } from "../database/database.ts";
import { isNativePayment } from "../model/message_content.ts";
import type { OutboundMessage, Receipt } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";
import { readMeaningfulRefusal } from "./rungs.ts";

/**
 * The message as text, where the database lets it fall back: once, under the same claim, whose time begins anew.
 * Null where the refusal stands. Never throws.
 */
export async function fallBackToText(
  { database, log }: { readonly database: Database; readonly log: Log },
  claim: {
    readonly instanceId: string;
    readonly messageId: string;
    readonly claimToken: string;
    readonly leaseSeconds: number;
  },
  outbound: OutboundMessage,
  receipt: Receipt,
): Promise<OutboundMessage | null> {
  const refusal = readMeaningfulRefusal(receipt);
  const { content } = outbound;
  if (refusal === null || !isNativePayment(content)) return null;
  try {
    const { outcome } = await database.rpc("fall_back_payment", { ...claim, refusal });
    return outcome === "send" ? { ...outbound, content: { ...content, rendering: "text" } } : null;
  } catch (error) {
    log.error("payment_fallback_failed", { messageId: claim.messageId, ...describeDefect(error) });
    return null;
  }
}
