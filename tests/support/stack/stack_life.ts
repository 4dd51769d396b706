/** What tests of the stack's life ask of it: its demo, an instance of their own, and a proper end. */

import { assert, assertEquals } from "../assert.ts";
import type { LocalStack, StackInstance } from "./local_stack.ts";

/** The demo instance and its token, as the stack prints them. */
export function readDemo(stack: LocalStack): StackInstance {
  const output = stack.output();
  const instanceId = /^ {2}Instance +(\S+)$/m.exec(output)?.[1];
  const token = /^ {2}Token +(\S+)$/m.exec(output)?.[1];
  assert(instanceId !== undefined && token !== undefined, output);
  return { instanceId, token };
}

/** Sends as the demo does in the console's first example. */
export async function sendFromDemo(
  stack: LocalStack,
): Promise<{ token: string; messageId: string }> {
  const { instanceId, token } = readDemo(stack);
  const phone = "5511988887777";
  const { status, body } = await stack.call({ instanceId, token }, "send-message", {
    ...{ instanceId: "demo", phone, messageType: "text", message: "Olá" },
  });
  assertEquals([status, body.status], [200, "sent"], JSON.stringify(body));
  const seen = await stack.readSimulator(`messages?to=${phone}`);
  assertEquals(seen.at(-1)?.["providerMessageId"], body.providerMessageId);
  return { token, messageId: body.messageId };
}

/** Creates an instance whose provider is at an address. */
export async function createInstance(
  stack: LocalStack,
  baseUrl: string,
): Promise<StackInstance> {
  const { workspaceId } = await stack.administer("workspaces", { name: "Empresa" });
  return await stack.createInstance({
    workspaceId,
    provider: "zapi",
    providerConfig: {
      baseUrl,
      gatewayInstanceId: "LIFE",
      token: "lifecycle-token",
      webhookSecret: "lifecycle-webhook-secret-0001",
    },
  });
}

/** A stack that waits for something that does not end says so after its time limit. */
export function assertEndedByItself(stack: LocalStack): void {
  assertEquals(stack.output().includes("requests_abandoned"), false, stack.output());
}
