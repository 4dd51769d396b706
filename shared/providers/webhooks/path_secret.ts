import { equalInConstantTime } from "../../crypto/constant_time.ts";
import type { WebhookHead } from "./webhook.ts";

/**
 * The webhook address of a gateway that does not sign: the secret in the path is the credential.
 */
export const pathWithSecret = "/:secret";

/** Whether the path of the call holds the instance's `webhookSecret`. */
export function checkPathSecret(
  { webhookSecret }: { readonly webhookSecret: string },
  head: WebhookHead,
): Promise<boolean> {
  return equalInConstantTime(head.pathParameter("secret"), webhookSecret);
}
