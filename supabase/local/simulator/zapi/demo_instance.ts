/** The demo instance at the simulated Z-API. */
import type { Webhook } from "../channel.ts";

export const demoProvider = "zapi";
const gatewayInstanceId = "DEMO";
/** The phone of the demo instance. */
export const demoPhone = "5511999990000";

/** The `providerConfig` that makes the demo instance send to the simulator of this stack. */
export function createDemoConfig(origin: string, webhookSecret: string): Record<string, string> {
  return {
    baseUrl: `${origin}/simulator/zapi`,
    gatewayInstanceId,
    token: "demo-instance-token",
    webhookSecret,
  };
}

/** The demo instance's webhook as registered at the simulated provider. */
export function describeDemoWebhook(
  origin: string,
  { instanceId, webhookSecret }: { readonly instanceId: string; readonly webhookSecret: string },
): Webhook {
  const path = `provider-webhook/${demoProvider}/${instanceId}/${webhookSecret}`;
  return {
    provider: demoProvider,
    instance: gatewayInstanceId,
    url: `${origin}/functions/v1/${path}`,
    phone: demoPhone,
  };
}
