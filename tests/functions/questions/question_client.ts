/** Questions as callers ask them, and answers as people give them. */

import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { Answer } from "../../support/stack/messaging_stack.ts";
import {
  cloudPayload,
  cloudText,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

export { phone };

type Json = Readonly<Record<string, unknown>>;

/** Asks by a text, unless `message` says otherwise. */
export async function ask(
  client: WebhookClient,
  tenant: Tenant,
  question: Json = {},
  message: Json = {},
): Promise<Answer["body"]> {
  const body = {
    ...{ phone, messageType: "text", message: "Qual é o seu e-mail?" },
    ...message,
    ask: { answerWithin: "PT1H", ...question },
  };
  return (await client.stack.send(tenant, body)).body;
}

let told = 0;

/** The contact writes on the official channel. */
export async function say(
  client: WebhookClient,
  tenant: Tenant,
  text: string,
  members: Json = {},
): Promise<void> {
  told += 1;
  const messages = [cloudText(`SAID${told}`, text, members)];
  assertEquals((await client.cloud(tenant, cloudPayload({ messages }))).status, 200);
}

/** The question as messages-api tells it. */
export async function read(
  client: WebhookClient,
  tenant: Tenant,
  questionId: string,
): Promise<Answer["body"]> {
  return (await client.stack.messages(tenant, "GET", `/questions/${questionId}`)).body;
}

/** The events of questions, in their order: type without prefix, question, reason. */
export async function listEnds(client: WebhookClient, { instanceId }: Tenant): Promise<string[][]> {
  const rows = await client.stack.admin<{ type: string; data: Record<string, string> }[]>`
    select type, data from messaging.events
    where instance_id = ${instanceId} and type like 'question.%' order by sequence`;
  return rows.map(({ type, data }) => [
    type.replace("question.", ""),
    data["questionId"]!,
    ...(data["reason"] === undefined ? [] : [data["reason"]]),
  ]);
}

/** The words of what was sent, in their order. */
export async function listSent(client: WebhookClient, { instanceId }: Tenant): Promise<string[]> {
  const rows = await client.stack.admin<{ message: string }[]>`
    select message from messaging.messages
    where instance_id = ${instanceId} and direction = 'outbound' and sent_at is not null
    order by created_at`;
  return rows.map(({ message }) => message);
}
