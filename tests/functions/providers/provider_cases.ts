import { registry } from "../../../shared/providers/registry.ts";
import type { Provider, Receipt } from "../../../shared/providers/provider.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";

/**
 * One provider as the tests need it: its configuration, its requests and its answers on success.
 */
export interface ProviderCase {
  readonly kind: ProviderKind;
  readonly config: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly success: { readonly status: number; readonly json: unknown };
  readonly accepted: Receipt;
}

export const message = {
  messageId: "5c0a2a52-0a1f-4d64-9c1e-2f7c0b1f6c11",
  to: "5511987654321",
  content: { messageType: "text", message: "Olá" },
} as const;

export const providerCases: readonly ProviderCase[] = [
  {
    kind: "whatsapp_cloud",
    config: {
      phoneNumberId: "106540352242922",
      accessToken: "EAAG-access",
      appSecret: "app-secret",
      verifyToken: "verify-token",
    },
    secrets: ["EAAG-access", "app-secret", "verify-token"],
    path: "/v26.0/106540352242922/messages",
    headers: { authorization: "Bearer EAAG-access" },
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "5511987654321",
      type: "text",
      text: { body: "Olá" },
      biz_opaque_callback_data: message.messageId,
    },
    success: {
      status: 200,
      json: {
        messaging_product: "whatsapp",
        contacts: [{ input: "5511987654321", wa_id: "551187654321" }],
        messages: [{ id: "wamid.A" }],
      },
    },
    accepted: { outcome: "accepted", providerMessageId: "wamid.A", waId: "551187654321" },
  },
  {
    kind: "zapi",
    config: {
      gatewayInstanceId: "3C01",
      token: "instance-token",
      clientToken: "client-token",
      webhookSecret: "hook-secret",
    },
    secrets: ["instance-token", "client-token", "hook-secret"],
    path: "/instances/3C01/token/instance-token/send-text",
    headers: { "client-token": "client-token" },
    body: { phone: "5511987654321", message: "Olá" },
    success: { status: 200, json: { zaapId: "Z", messageId: "D241", id: "D241" } },
    accepted: { outcome: "accepted", providerMessageId: "D241" },
  },
  {
    kind: "evolution",
    config: { instanceName: "loja", apiKey: "evolution-key", webhookSecret: "hook-secret" },
    secrets: ["evolution-key", "hook-secret"],
    path: "/message/sendText/loja",
    headers: { apikey: "evolution-key" },
    body: { number: "5511987654321", text: "Olá" },
    success: {
      status: 201,
      json: {
        key: { remoteJid: "551187654321@s.whatsapp.net", fromMe: true, id: "3EB0" },
        status: "PENDING",
      },
    },
    accepted: { outcome: "accepted", providerMessageId: "3EB0", waId: "551187654321" },
  },
];

/** The provider of a case at this address. */
export function connect(providerCase: ProviderCase, baseUrl: string): Promise<Provider> {
  return registry.get(providerCase.kind).open(
    { ...providerCase.config, baseUrl },
    crypto.randomUUID(),
  );
}
