import { equalInConstantTime } from "../../crypto/constant_time.ts";
import type { WebhookCall } from "./webhook.ts";

/**
 * The webhook address of a gateway that does not sign: the secret in the path is the credential.
 */
export const pathWithSecret = "/:secret";

/** Whether the path of the call holds the instance's `webhookSecret`. */
export function checkPathSecret(
  { webhookSecret }: { readonly webhookSecret: string },
  call: WebhookCall,
): Promise<boolean> {
  return equalInConstantTime(call.pathParameter("secret"), webhookSecret);
}
