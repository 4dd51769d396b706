import type { LocalStack } from "./local_stack.ts";

/** One instance of each provider, configured for the simulator as a user would. */
export const simulatedInstances = [
  {
    provider: "whatsapp_cloud",
    instance: "104857600000001",
    config: {
      phoneNumberId: "104857600000001",
      accessToken: "EAAG-phone-page",
      appSecret: "phone-page-app-secret",
      verifyToken: "phone-page-verify-token",
    },
    registration: { appSecret: "phone-page-app-secret", verifyToken: "phone-page-verify-token" },
    secret: "",
    baseUrl: "graph",
  },
  {
    provider: "evolution",
    instance: "phone-page",
    config: {
      instanceName: "phone-page",
      apiKey: "phone-page-key",
      webhookSecret: "phone-page-webhook-secret-1",
    },
    registration: {},
    secret: "/phone-page-webhook-secret-1",
    baseUrl: "evolution",
  },
  {
    provider: "zapi",
    instance: "PHONEPAGE",
    config: {
      gatewayInstanceId: "PHONEPAGE",
      token: "phone-page-token",
      webhookSecret: "phone-page-webhook-secret-2",
    },
    registration: {},
    secret: "/phone-page-webhook-secret-2",
    baseUrl: "zapi",
  },
] as const;

type SimulatedInstance = (typeof simulatedInstances)[number];

/** Where the provider tells what happens at this instance. */
export function webhookOf(
  { origin }: Pick<LocalStack, "origin">,
  { provider, secret }: Pick<SimulatedInstance, "provider" | "secret">,
  { instanceId }: { readonly instanceId: string },
): string {
  return `${origin}/functions/v1/provider-webhook/${provider}/${instanceId}${secret}`;
}
