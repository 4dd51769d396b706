/** A message about a payment that goes as text, because its channel has refused its own form. */
import type { Database } from "../database/database.ts";
import { isPaymentContent } from "../model/message_content.ts";
import type { OutboundMessage, Receipt } from "../providers/provider.ts";
import { describeDefect, type Log } from "../runtime/log.ts";

/** What the refusal of such a message says; null where it says nothing of its form. */
function readFormRefusal({ content }: OutboundMessage, receipt: Receipt): {
  readonly code: string;
  readonly message: string;
  readonly meaning: string;
} | null {
  const isOwnForm = isPaymentContent(content) && content.rendering === "native";
  if (!isOwnForm || receipt.outcome !== "rejected" || receipt.retryable) return null;
  const { code, message, meaning } = receipt;
  return meaning === undefined ? null : { code, message, meaning };
}

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
  const refusal = readFormRefusal(outbound, receipt);
  const { content } = outbound;
  if (refusal === null || !isPaymentContent(content)) return null;
  try {
    const { outcome } = await database.rpc("fall_back_payment", { ...claim, refusal });
    return outcome === "send" ? { ...outbound, content: { ...content, rendering: "text" } } : null;
  } catch (error) {
    log.error("payment_fallback_failed", { messageId: claim.messageId, ...describeDefect(error) });
    return null;
  }
}
