/** What happens to messages, as each channel tells it. */

import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  type Delivered,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

/** One channel, with what happens to messages on it. */
export interface Channel {
  readonly tenant: Tenant;
  /** The contact writes. */
  arrive(id: string, text: string): Promise<Delivered>;
  /** Somebody writes on the business's own phone. */
  typed(id: string, text: string): Promise<Delivered>;
  /** The channel tells that the message was deleted for everyone. */
  remove(id: string): Promise<Delivered>;
  /** The contact, or somebody on the business's own phone, edits the message. */
  edit(id: string, text: string, by: "contact" | "phone"): Promise<Delivered>;
}

/** A tenant on each channel. */
export async function createChannels(client: WebhookClient): Promise<readonly Channel[]> {
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const write = (id: string, text: string, fromMe: boolean): Promise<Delivered> =>
    client.evolution(evolution, evolutionMessage({ conversation: text }, { id, fromMe }));
  return [
    {
      tenant: zapi,
      arrive: (messageId, message) => client.receive(zapi, { messageId, text: { message } }),
      typed: (messageId, message) =>
        client.receive(zapi, { messageId, text: { message }, fromMe: true, fromApi: false }),
      remove: (messageId) => client.receive(zapi, { messageId, notification: "REVOKE" }),
      edit: (messageId, message, by) =>
        client.receive(zapi, {
          ...{ messageId, text: { message }, isEdit: true },
          ...(by === "phone" ? { fromMe: true, fromApi: false } : {}),
        }),
    },
    {
      tenant: evolution,
      arrive: (id, text) => write(id, text, false),
      typed: (id, text) => write(id, text, true),
      remove: (id) => {
        const data = { remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, id, status: "DELETED" };
        return client.evolution(evolution, { event: "messages.delete", data });
      },
      edit: (id, conversation, by) => {
        const protocolMessage = { key: { id }, type: 14, editedMessage: { conversation } };
        const key = { id: crypto.randomUUID(), fromMe: by === "phone" };
        return client.evolution(evolution, evolutionMessage({ protocolMessage }, key));
      },
    },
    {
      tenant: official,
      arrive: (id, text) =>
        client.cloud(official, cloudPayload({ messages: [cloudText(id, text)] })),
      typed: (id, text) => client.cloud(official, toEchoes({ ...cloudText(id, text), to: phone })),
      remove: (id) => {
        const revoke = { type: "revoke", revoke: { original_message_id: id } };
        const notice = { ...cloudText(`NOTICE-${id}`, ""), ...revoke };
        return client.cloud(official, cloudPayload({ messages: [notice] }));
      },
      edit: (id, body, by) => {
        const message = { type: "text", text: { body } };
        const edit = { type: "edit", edit: { original_message_id: id, message } };
        const notice = { ...cloudText(crypto.randomUUID(), ""), ...edit };
        return by === "contact"
          ? client.cloud(official, cloudPayload({ messages: [notice] }))
          : client.cloud(official, toEchoes({ ...notice, to: phone }));
      },
    },
  ];
}

function toEchoes(echo: unknown): Readonly<Record<string, unknown>> {
  const changes = [{ field: "smb_message_echoes", value: { message_echoes: [echo] } }];
  return { object: "whatsapp_business_account", entry: [{ id: "102290129340398", changes }] };
}

export interface FeedEvent {
  readonly type: string;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly data: any;
}

/** The events of messages, oldest first. */
export async function readFeed(
  client: WebhookClient,
  tenant: Tenant,
): Promise<readonly FeedEvent[]> {
  const { body } = await client.stack.request("/events-api/events?after=oldest", {
    headers: { "x-client-token": tenant.token },
  });
  return body.items.filter(({ type }: FeedEvent) => type.startsWith("message."));
}
