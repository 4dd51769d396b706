/** How old a message may be that an agent answers (`answersWithin`), by the channel's instant. */

import { assertEquals } from "../../support/assert.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { readFeed } from "../provider_webhook/channels.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
} from "../provider_webhook/webhook_client.ts";
import { complete, createAgentClient } from "./agent_client.ts";

const hour = 3_600;

/** So many seconds ago, in seconds. */
function ago(seconds: number): number {
  return Math.floor(Date.now() / 1_000) - seconds;
}

Deno.test("on every channel an agent answers a message of the last six hours, and an older one is stored and told", async () => {
  await using client = await createWebhookClient();
  await using model = startHttpDouble(() => complete("Posso ajudar?"));
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const channels = [
    {
      tenant: zapi,
      write: (messageId: string, at: number) =>
        client.receive(zapi, { messageId, momment: at * 1_000, text: { message: "oi" } }),
    },
    {
      tenant: evolution,
      write: (id: string, messageTimestamp: number) =>
        client.evolution(
          evolution,
          evolutionMessage({ conversation: "oi" }, { id }, { messageTimestamp }),
        ),
    },
    {
      tenant: official,
      write: (id: string, at: number) =>
        client.cloud(
          official,
          cloudPayload({ messages: [cloudText(id, "oi", { timestamp: `${at}` })] }),
        ),
    },
  ];
  let answers = 0;
  for (const { tenant, write } of channels) {
    await createAgent(client.stack.admin, tenant.instanceId);
    const ages = [["MONTH", 30 * 24], ["DAY", 24], ["OLD", 6.1], ["YOUNG", 5.5]] as const;
    for (const [id, hours] of ages) {
      assertEquals((await write(id, ago(hours * hour))).body.recorded, 1);
      await client.letAgentAnswer(model);
      answers += id === "YOUNG" ? 1 : 0;
      assertEquals([id, model.requests.length], [id, answers]);
    }
    const told = (await readFeed(client, tenant)).map(({ type }) => type);
    assertEquals(told.filter((type) => type === "message.received").length, ages.length);
  }
});

Deno.test("`answersWithin` of the agent decides, also while the answer waits", async () => {
  await using client = await createAgentClient();
  const { admin } = client.webhooks.stack;
  const write = (messageId: string, seconds: number): Promise<unknown> =>
    client.webhooks.receive(client.tenant, {
      ...{ messageId, momment: ago(seconds) * 1_000 },
      text: { message: "oi" },
    });
  const asks = async (messageId: string, seconds: number, within: number): Promise<boolean> => {
    await admin`update messaging.ai_agents set answers_within_seconds = ${within}`;
    const before = client.model.requests.length;
    await write(messageId, seconds);
    await client.answer();
    return client.model.requests.length > before;
  };
  assertEquals(await asks("IN1", 2 * hour, hour), false);
  assertEquals(await asks("IN2", 2 * hour, 3 * hour), true);
  assertEquals(await asks("IN3", 20 * 24 * hour, 30 * 24 * hour), true);
  await admin`update messaging.ai_agents set answers_within_seconds = ${hour}`;
  const before = client.model.requests.length;
  await write("IN4", 0);
  // The dispatcher comes back after two hours.
  await admin`
    update messaging.contacts set last_inbound_at = last_inbound_at - interval '2 hours'`;
  await client.answer();
  assertEquals(client.model.requests.length, before);
});
