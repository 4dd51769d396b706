import type { IWebhookFunctions, IWebhookResponseData } from "n8n-workflow";
import { type Delivery, verifyDelivery } from "./signature";

/** A delivery that the service has signed, with the bytes of its body. */
export interface SignedCall extends Delivery {
  readonly body: Buffer;
}

/**
 * Reads the call that a webhook gets. `secret`: what the node has kept, which may be nothing.
 *
 * @returns null for a call that is not signed with the secret, or too old.
 */
export function readSignedCall(context: IWebhookFunctions, secret: unknown): SignedCall | null {
  const body = context.getRequestObject().rawBody as Buffer | undefined;
  if (body === undefined || typeof secret !== "string") return null;
  const delivery = verifyDelivery(context.getHeaderData(), body, secret);
  return delivery === null ? null : { ...delivery, body };
}

/** Refuses a call without a valid signature, or signed for another question. */
export function refuseSignature(context: IWebhookFunctions): IWebhookResponseData {
  return answerCall(context, 401, "invalid_signature");
}

/** Answers a call without starting the workflow, or going on with it. */
export function answerCall(
  context: IWebhookFunctions,
  status: number,
  error?: string,
): IWebhookResponseData {
  const response = context.getResponseObject();
  response.status(status);
  if (error === undefined) response.end();
  else response.json({ error });
  return { noWebhookResponse: true };
}
