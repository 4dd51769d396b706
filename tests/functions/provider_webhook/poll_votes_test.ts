/** A vote is one message, however often and in which forms Evolution tells it. */
import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { readFeed } from "./channels.ts";
import {
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

const voter = `${phone}@s.whatsapp.net`;

/** The vote as an update of the poll; returns how many events were new. */
async function update(
  client: WebhookClient,
  tenant: Tenant,
  chosen: readonly string[],
  date_time: string,
): Promise<number | undefined> {
  const pollUpdates = ["A", "B"].map((name) => ({
    name,
    voters: chosen.includes(name) ? [voter] : [],
  }));
  const data = { keyId: "POLL", remoteJid: voter, fromMe: true, status: "SERVER_ACK", pollUpdates };
  return (await client.evolution(tenant, { event: "messages.update", data, date_time })).body
    .recorded;
}

/** The vote as a message of its own. */
async function write(
  client: WebhookClient,
  tenant: Tenant,
  chosen: readonly string[],
  id: string,
): Promise<number | undefined> {
  const vote = { encPayload: "", selectedOptions: chosen };
  const pollUpdateMessage = { pollCreationMessageKey: { id: "POLL" }, vote };
  return (await client.evolution(tenant, evolutionMessage({ pollUpdateMessage }, { id }))).body
    .recorded;
}

Deno.test("a vote is one message, told by an update, by a message or by both in either order", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:00.000Z"), 1);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:00.000Z"), 0);
  assertEquals(await write(client, tenant, ["A"], "V1"), 0);
  assertEquals(await write(client, tenant, ["B"], "V2"), 1);
  assertEquals(await update(client, tenant, ["B"], "2026-11-20T09:01:00.000Z"), 0);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:02:00.000Z"), 1);
  assertEquals(await update(client, tenant, [], "2026-11-20T09:03:00.000Z"), 1);
  const feed = await readFeed(client, tenant);
  assertEquals(
    feed.map(({ type, data }) => [type, (data.pollVote as { options: unknown }).options]),
    [["A"], ["B"], ["A"], []].map((options) => ["message.received", options]),
  );
});

Deno.test("votes of two people, and of two polls, are as many", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const group = "120363041234567890@g.us";
  const vote = (
    keyId: string,
    voters: readonly string[],
  ): Promise<{ body: { recorded?: number } }> =>
    client.evolution(tenant, {
      event: "messages.update",
      data: { keyId, remoteJid: group, pollUpdates: [{ name: "A", voters }] },
      date_time: "2026-11-20T09:00:00.000Z",
    });
  const other = "5521988887777@s.whatsapp.net";
  assertEquals((await vote("POLL", [voter, other])).body.recorded, 2);
  assertEquals((await vote("POLL2", [voter])).body.recorded, 1);
  assertEquals((await vote("POLL", [other])).body.recorded, 0);
});

Deno.test("a vote that Evolution could not decrypt and the update that tells it are one message, in either order", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const countQuestions = async (): Promise<number> =>
    (await client.stack.admin`select from messaging.outbox where kind = 'agent_reply'`).length;
  await client.stack.admin`insert into messaging.ai_agents (instance_id, name, instructions, model)
    values (${tenant.instanceId}, 'A', 'B', 'c')`;
  const writeEncrypted = async (id: string): Promise<number | undefined> => {
    const vote = { encPayload: "b3B0aW9u", encIv: "aXY=" };
    const pollUpdateMessage = { pollCreationMessageKey: { id: "POLL" }, vote };
    const answer = await client.evolution(tenant, evolutionMessage({ pollUpdateMessage }, { id }));
    return answer.body.recorded;
  };
  assertEquals([await writeEncrypted("V1"), await countQuestions()], [1, 0]);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:00.000Z"), 1);
  assertEquals(await countQuestions(), 1);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:01.000Z"), 0);
  assertEquals(await update(client, tenant, ["B"], "2026-11-20T09:00:02.000Z"), 1);
  assertEquals(await writeEncrypted("V2"), 0);
  const votes = (await client.messages(tenant)).map(({ content, message }) => [
    (content as { pollVote: { options: unknown } }).pollVote.options,
    message,
  ]);
  assertEquals(votes, [[["A"], "[poll vote] A"], [["B"], "[poll vote] B"]]);
  const feed = await readFeed(client, tenant);
  assertEquals(feed.map(({ type }) => type), [
    ...["message.received", "message.edited", "message.received"],
  ]);
});

Deno.test("a vote is told twice within a day, and one without its options completed within ten minutes", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:00.000Z"), 1);
  await letTimePass(client.stack.admin, 86_000);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:01.000Z"), 0);
  await letTimePass(client.stack.admin, 401);
  assertEquals(await update(client, tenant, ["A"], "2026-11-20T09:00:02.000Z"), 1);
  const writeUnreadable = async (id: string): Promise<number | undefined> => {
    const vote = { encPayload: "b3B0aW9u", encIv: "aXY=" };
    const pollUpdateMessage = { pollCreationMessageKey: { id: "POLL" }, vote };
    return (await client.evolution(tenant, evolutionMessage({ pollUpdateMessage }, { id }))).body
      .recorded;
  };
  const now = (): string => new Date().toISOString();
  assertEquals(await update(client, tenant, ["B"], now()), 1);
  assertEquals(await writeUnreadable("V1"), 0);
  await letTimePass(client.stack.admin, 601);
  assertEquals(await writeUnreadable("V2"), 1);
  await letTimePass(client.stack.admin, 601);
  assertEquals(await update(client, tenant, ["B"], now()), 1);
  const votes = (await client.messages(tenant)).map(({ content }) =>
    (content as { pollVote: { options: unknown } }).pollVote.options
  );
  assertEquals(votes, [["A"], ["A"], ["B"], [], ["B"]]);
});
