import type { ProviderDocs } from "../provider_docs.ts";

/** Z-API in the API document. */
export const zapiDocs: ProviderDocs = {
  operationName: "Zapi",
  exampleInstanceId: "d0000000-0000-4000-8000-000000000101",
  configFields:
    "`gatewayInstanceId`, `token`, `webhookSecret`, and optionally `clientToken`, `baseUrl`",
  fields: {
    clientToken: "The account's security token (`Client-Token`), when it is enabled.",
    "providerConfig.gatewayInstanceId": "Z-API's id of the instance.",
    "providerConfig.token": "Z-API's token of the instance.",
  },
  webhook: {
    summary: "Receive events of Z-API",
    description:
      "Messages and statuses as Z-API delivers them. Its requests are not signed, so the secret in the path authenticates them. Embedded files (base64) are discarded; the rest of the payload has at most 3 MiB. Duplicate events are stored once.",
    foreignBody: "A webhook payload of Z-API.",
    example: {
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
    },
  },
};
