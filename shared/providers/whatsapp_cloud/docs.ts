import * as z from "zod";
import type { ProviderDocs } from "../provider_docs.ts";
import { whatsappCloudCodes } from "./errors.ts";

/** The official channel in the API document. */
export const whatsappCloudDocs: ProviderDocs = {
  operationName: "WhatsappCloud",
  exampleInstanceId: "d0000000-0000-4000-8000-000000000102",
  configFields:
    "`phoneNumberId`, `accessToken`, `appSecret`, `verifyToken`, and optionally `wabaId`, `appId`, `apiVersion`, `baseUrl`",
  fields: {
    phoneNumberId: "The official channel's id of the phone number; required for sending.",
    accessToken: "The official channel's access token.",
    appSecret: "Key that verifies `X-Hub-Signature-256` of incoming events.",
    verifyToken: "Token that the provider sends to verify the webhook address.",
    appId:
      "Id of the Meta app that uploads the sample files of templates' headers; needed for nothing else.",
    wabaId: "Id of the WhatsApp Business account from which templates are read.",
    apiVersion: "Version of the Graph API, such as `v23.0`.",
  },
  codes: whatsappCloudCodes,
  challenge: {
    summary: "Verify the webhook address for the official channel",
    description:
      "The provider calls it once when the address is registered. Returns `hub.challenge` when `hub.verify_token` equals the instance's `verifyToken`.",
    query: z.object({
      "hub.mode": z.string().max(20),
      "hub.verify_token": z.string().max(4_096),
      "hub.challenge": z.string().max(200).optional(),
    }),
    fields: {
      "hub.mode": "`subscribe`.",
      "hub.verify_token": "`verifyToken` of the instance's configuration.",
      "hub.challenge": "Value to return.",
    },
    example: {
      name: "challenge",
      summary: "The returned challenge",
      request: {
        "hub.mode": "subscribe",
        "hub.verify_token": "the-verify-token",
        "hub.challenge": "1158201444",
      },
      response: "1158201444",
    },
  },
  webhook: {
    summary: "Receive events of the official channel",
    description:
      "Messages and statuses as Meta delivers them. `X-Hub-Signature-256`, the signature of the raw body under the instance's `appSecret`, authenticates them. Events of another number of the same app are routed to the instance of that number, if its `appSecret` also verifies the delivery. Events of a number without an instance are stored and logged. Duplicate events are stored once.",
    foreignBody: "A webhook payload of the WhatsApp Business Platform.",
    example: {
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
    },
  },
};
