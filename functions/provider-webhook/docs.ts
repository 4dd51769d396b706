import * as z from "zod";
import {
  demoEvolutionInstanceId,
  demoInstanceId,
  demoOfficialInstanceId,
  demoVerifyToken,
  demoWebhookSecret,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { successField } from "../../shared/openapi/response_fields.ts";

const instanceOf = (example: string): NonNullable<Operation["pathParameters"]> => ({
  instanceId: { description: "UUID of the instance.", example },
});
const secretParameter = {
  secret: {
    description: "`webhookSecret` of the instance's configuration.",
    example: demoWebhookSecret,
    schema: z.string(),
  },
};

const delivery = {
  method: "POST",
  tag: "Webhooks",
  access: "public",
  maxBodyKiB: 3 * 1024,
  success: {
    description: "The delivery is stored.",
    schema: z.object({ ...successField, recorded: z.int().min(0) }),
  },
  fields: { recorded: "Events of the delivery that were new." },
} as const;

const recorded = { success: true, recorded: 1 };

/** What provider-webhook promises (decisions, section 9). */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/whatsapp_cloud/:instanceId",
    operationId: "verifyWhatsappCloudWebhook",
    tag: "Webhooks",
    summary: "Confirm the webhook address to the official channel",
    description:
      "Asked once by the provider when the address is registered: answers `hub.challenge` when `hub.verify_token` is the instance's `verifyToken`.",
    access: "public",
    pathParameters: instanceOf(demoOfficialInstanceId),
    query: z.object({
      "hub.mode": z.string(),
      "hub.verify_token": z.string(),
      "hub.challenge": z.string().optional(),
    }),
    success: { description: "The challenge, as it was given.", mediaType: "text/plain" },
    errors: ["invalid_webhook_secret", "service_unavailable"],
    fields: {
      "hub.mode": "`subscribe`.",
      "hub.verify_token": "`verifyToken` of the instance's configuration.",
      "hub.challenge": "What is to be answered.",
    },
    examples: [{
      name: "challenge",
      summary: "The challenge comes back",
      request: {
        "hub.mode": "subscribe",
        "hub.verify_token": demoVerifyToken,
        "hub.challenge": "1158201444",
      },
      response: "1158201444",
    }],
  },
  {
    ...delivery,
    path: "/whatsapp_cloud/:instanceId",
    operationId: "receiveWhatsappCloudEvents",
    summary: "Receive events of the official channel",
    description:
      "Messages and statuses as Meta delivers them. `X-Hub-Signature-256` over the raw bytes, under the instance's `appSecret`, is the credential. Events of another number of the same app go to that number's instance, where its `appSecret` verifies the delivery too; those of a number without an instance are kept and logged. The same event twice is stored once.",
    pathParameters: instanceOf(demoOfficialInstanceId),
    foreignBody: "A webhook payload of the WhatsApp Business Platform.",
    errors: ["invalid_webhook_signature", "service_unavailable"],
    examples: [{
      name: "status",
      summary: "A message was delivered",
      request: {
        object: "whatsapp_business_account",
        entry: [{
          id: "102290129340398",
          changes: [{
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: "5511999990000", phone_number_id: "1065" },
              statuses: [{
                id: "wamid.HBgNNTUxMTk4ODg4Nzc3NxUCABEYEjdFRkY0",
                status: "delivered",
                timestamp: "1795438862",
                recipient_id: "5511988887777",
              }],
            },
          }],
        }],
      },
      response: recorded,
    }],
  },
  {
    ...delivery,
    maxBodyKiB: 30 * 1024,
    path: "/zapi/:instanceId/:secret",
    operationId: "receiveZapiEvents",
    summary: "Receive events of Z-API",
    description:
      "Messages and statuses as Z-API delivers them. It signs nothing: the secret in the path is the credential. Files inside the payload (base64) are left out; what is left may have 3 MiB. The same event twice is stored once.",
    pathParameters: { ...instanceOf(demoInstanceId), ...secretParameter },
    foreignBody: "A webhook payload of Z-API.",
    errors: ["invalid_webhook_secret", "service_unavailable"],
    examples: [{
      name: "received_text",
      summary: "A text from a contact",
      request: {
        type: "ReceivedCallback",
        instanceId: "3DF1A2B4C5",
        messageId: "A20DA9C0183A2D35A260F53F5D2B9244",
        phone: "5511988887777",
        fromMe: false,
        isGroup: false,
        momment: 1795438800000,
        senderName: "João Silva",
        text: { message: "Meu pedido já saiu?" },
      },
      response: recorded,
    }],
  },
  {
    ...delivery,
    maxBodyKiB: 30 * 1024,
    path: "/evolution/:instanceId/:secret/:event?",
    operationId: "receiveEvolutionEvents",
    summary: "Receive events of Evolution API",
    description:
      "Messages and statuses as Evolution API delivers them, which may append the event's name to the path. It signs nothing: the secret in the path is the credential. Files inside the payload (base64) are left out; what is left may have 3 MiB. The same event twice is stored once.",
    pathParameters: { ...instanceOf(demoEvolutionInstanceId), ...secretParameter },
    foreignBody: "A webhook payload of Evolution API v2.",
    errors: ["invalid_webhook_secret", "service_unavailable"],
    examples: [{
      name: "received_text",
      summary: "A text from a contact",
      request: {
        event: "messages.upsert",
        instance: "loja",
        data: {
          key: {
            remoteJid: "5511988887777@s.whatsapp.net",
            fromMe: false,
            id: "3EB0A9C0183A2D35A260F53F5D2B9244",
          },
          pushName: "João Silva",
          message: { conversation: "Meu pedido já saiu?" },
          messageType: "conversation",
          messageTimestamp: 1795438800,
        },
      },
      response: recorded,
    }],
  },
];
