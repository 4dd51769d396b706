import type { SimulatorContext } from "../context.ts";
import type { SimulatedMessage, StatusFailure } from "../records.ts";
import { arrivalMs, waitUnlessClosing } from "../waits.ts";
import { composeCloudStatus } from "./events.ts";

/** Reports that a message accepted by the channel did not reach its phone. */
export async function reportFailure(
  context: SimulatorContext,
  message: Pick<SimulatedMessage, "instance" | "providerMessageId" | "waId" | "correlationId">,
  failure: StatusFailure,
): Promise<void> {
  await waitUnlessClosing(arrivalMs, context.closing);
  if (context.closing.aborted) return;
  const { correlationId, ...about } = message;
  const fields = { ...about, provider: "whatsapp_cloud", status: "failed", failure } as const;
  const event = composeCloudStatus(context.store.addStatus(fields), correlationId);
  context.webhooks.send("whatsapp_cloud", message.instance, event);
}
