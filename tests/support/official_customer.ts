/** The official channel of a started stack, set up at the simulator as at Meta. */

import type { LocalStack, StackInstance } from "./local_stack.ts";

/** A number at the simulated Meta, and the secrets of its app. */
export const officialNumber = {
  phoneNumberId: "104857600000001",
  accessToken: "EAAG-end-to-end",
  appSecret: "end-to-end-app-secret",
  verifyToken: "end-to-end-verify-token",
  wabaId: "102290129340398",
} as const;

/** Registers the instance's webhook: from then on its customers' phones can write, and report. */
export async function registerOfficialWebhook(
  stack: LocalStack,
  { instanceId }: StackInstance,
): Promise<void> {
  const { phoneNumberId: instance, appSecret, verifyToken } = officialNumber;
  const url = `${stack.origin}/functions/v1/provider-webhook/whatsapp_cloud/${instanceId}`;
  const webhook = { provider: "whatsapp_cloud", instance, url, appSecret, verifyToken };
  await postToSimulator(stack, "webhooks", webhook);
}

/** A customer writes, which lets the instance answer with free text for 24 hours. */
export async function writeToOfficialNumber(
  stack: LocalStack,
  waId: string,
  fields: { readonly writtenAt?: string } = {},
): Promise<void> {
  const { phoneNumberId: instance } = officialNumber;
  const content = { messageType: "text", text: "Oi" };
  await postToSimulator(stack, "replies", {
    provider: "whatsapp_cloud",
    instance,
    waId,
    content,
    ...fields,
  });
}

/**
 * A POST to the simulator that must succeed.
 *
 * @throws {Error} with its answer, when it does not.
 */
export async function postToSimulator(
  stack: LocalStack,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the simulator answers
): Promise<any> {
  const response = await fetch(`${stack.origin}/simulator/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
