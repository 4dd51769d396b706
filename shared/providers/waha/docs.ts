import type { ProviderDocs } from "../provider_docs.ts";

/** WAHA in the API document. */
export const wahaDocs: ProviderDocs = {
  operationName: "Waha",
  exampleInstanceId: "d0000000-0000-4000-8000-000000000104",
  configFields: "`baseUrl`, `session`, `apiKey`, `webhookKey`",
  fields: {
    session: "Name of the session on the WAHA server.",
    webhookKey:
      "Key that verifies `X-Webhook-Hmac` of incoming events: `hmac.key` of the session's webhook. At least 24 characters.",
  },
  webhook: {
    summary: "Receive events of WAHA",
    description:
      "Messages and statuses as WAHA delivers them, of each of its engines. `X-Webhook-Hmac`, HMAC-SHA512 of the body with `webhookKey`, authenticates them. At most 3 MiB. Duplicate events are stored once.",
    foreignBody: "A webhook payload of WAHA.",
    example: {
      name: "received_text",
      summary: "A text from a contact",
      request: {
        id: "evt_01kxyzreceived0000000000",
        timestamp: 1795438800123,
        event: "message",
        session: "loja",
        engine: "NOWEB",
        me: { id: "5511999990000@c.us", pushName: "Loja" },
        payload: {
          id: "false_5511988887777@c.us_3EB0A9C0183A2D35A260F53F5D2B9244",
          timestamp: 1795438800,
          from: "5511988887777@c.us",
          fromMe: false,
          source: "app",
          body: "Meu pedido já saiu?",
          hasMedia: false,
          ack: 2,
          ackName: "DEVICE",
        },
      },
    },
  },
};
