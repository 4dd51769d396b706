import type { ProviderDocs } from "../provider_docs.ts";

/** Evolution API in the API document. */
export const evolutionDocs: ProviderDocs = {
  operationName: "Evolution",
  exampleInstanceId: "d0000000-0000-4000-8000-000000000103",
  configFields: "`baseUrl`, `instanceName`, `apiKey`, `webhookSecret`",
  fields: {
    instanceName: "Name of the instance on the Evolution server.",
  },
  webhook: {
    summary: "Receive events of Evolution API",
    description:
      "Messages and statuses as Evolution API delivers them. It may append the event's name to the path. Its requests are not signed, so the secret in the path authenticates them. Embedded files (base64) are discarded; the rest of the payload has at most 3 MiB. Duplicate events are stored once.",
    foreignBody: "A webhook payload of Evolution API v2.",
    example: {
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
    },
  },
};
