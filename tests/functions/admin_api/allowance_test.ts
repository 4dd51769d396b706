/** What a number may do: as the channel tells it, and the pace that is held to it. */

import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { createAdminClient, createWorkspace } from "./admin_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const secret = "a-secret-of-32-characters-or-more";

interface Number extends AsyncDisposable {
  /** What the channel says of the number from now on. */
  tell(number: { level?: string; isOnBusinessApp?: boolean }): void;
  /** Reads the connection, as an operator does. */
  look(): Promise<void>;
  /** The channel tells a limit by its webhook. */
  hear(limit: Body): Promise<void>;
  read(): Promise<Body>;
  change(changes: Body): Promise<{ status: number; body: Body }>;
  /** What was told of its limits, and the pace at which it sends. */
  events(): Promise<Body[]>;
  sendingPace(): Promise<number | null>;
  /** Its configuration, as another account's. */
  readonly otherConfig: Body;
}

/** An official number at a double of the channel. */
async function createNumber(): Promise<Number> {
  const client = await createAdminClient();
  let told: Body = {};
  const channel = startTestServer(() => {
    const { level, isOnBusinessApp } = told;
    return Response.json({
      ...{ id: "1", status: "CONNECTED", is_on_biz_app: isOnBusinessApp },
      ...(level === undefined ? {} : { throughput: { level } }),
    });
  });
  const config = {
    ...{ baseUrl: channel.origin, phoneNumberId: "1064" },
    ...{ accessToken: secret, appSecret: secret, verifyToken: secret },
  };
  const { instanceId } = await client.create("/instances", {
    ...{ workspaceId: await createWorkspace(client), name: "Oficial", provider: "whatsapp_cloud" },
    ...{ connectedPhone: "551188887777", timeZone: "America/Sao_Paulo", providerConfig: config },
  });
  const path = `/instances/${instanceId}`;
  const { admin, sql } = client.database;
  let at = Date.now();
  return {
    tell: (number) => told = number,
    look: async () => assertEquals((await client.call("GET", `${path}/connection`)).status, 200),
    hear: async (limit) => {
      const [instance] = await admin`
        select sealed_provider_config from messaging.instances where id = ${instanceId}`;
      at += 1_000;
      await callFunction(sql, "record_provider_events", {
        ...{ instanceId, sealedProviderConfig: instance?.["sealed_provider_config"] },
        payload: null,
        events: [{ kind: "limit", at: new Date(at).toISOString(), ...limit }],
      });
    },
    read: async () => (await client.call("GET", path)).body,
    change: (body) => client.call("PATCH", path, { body }),
    events: async () => {
      const rows = await admin`
        select data from messaging.events
        where instance_id = ${instanceId} and type = 'instance.limit_changed' order by sequence`;
      return rows.map(({ data }) => data);
    },
    sendingPace: async () => {
      const [row] = await admin`
        select messages_per_second from messaging.dispatch where instance_id = ${instanceId}`;
      return row?.["messages_per_second"];
    },
    otherConfig: { ...config, phoneNumberId: "1065" },
    [Symbol.asyncDispose]: async () => {
      await channel[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

const untold = { newChats: null, timeLock: null };
const byDefault = { messagesPerSecond: 80, source: "default", ...untold };
const high = { messagesPerSecond: 1_000, source: "throughput", ...untold };
const coexisting = { messagesPerSecond: 20, source: "coexistence", ...untold };

const pace = (messagesPerSecond: number): Body => ({ pace: { messagesPerSecond } });

Deno.test("a pace above the number's allowance is 400, which names the allowance", async () => {
  await using number = await createNumber();
  const refuse = async (messagesPerSecond: number): Promise<string> => {
    const former = await number.read();
    const { status, body } = await number.change({ ...pace(messagesPerSecond), name: "Outro" });
    assertEquals([status, body.error], [400, "invalid_request"]);
    assertEquals(await number.read(), former, "nothing is stored");
    const [{ path, message }, ...others] = body.issues;
    assertEquals([path, others], ["pace.messagesPerSecond", []]);
    return message;
  };
  assertEquals((await number.read()).allowance, byDefault);
  assertEquals(
    await refuse(81),
    "must be at most 80, the number's allowance: GET admin-api/instances/{id}/connection asks the channel for more",
  );
  number.tell({ level: "HIGH", isOnBusinessApp: false });
  await number.look();
  assertEquals((await number.read()).allowance, high);
  assertEquals((await number.change(pace(1_000))).body.pace, { messagesPerSecond: 1_000 });
  assertEquals((await number.change(pace(1_001))).status, 400);
  number.tell({ level: "STANDARD", isOnBusinessApp: true });
  await number.look();
  assertEquals(
    await refuse(21),
    "must be at most 20, the number's allowance: it is also used in the WhatsApp Business app",
  );
  assertEquals((await number.change(pace(20))).status, 200);
  number.tell({ level: "STANDARD", isOnBusinessApp: false });
  await number.look();
  assertEquals(
    await refuse(500),
    "must be at most 80, the number's allowance: the channel told its throughput",
  );
});

Deno.test("a changed allowance is told once, and the pace falls and rises with it", async () => {
  await using number = await createNumber();
  await number.change(pace(80));
  // The level that every number has is no change.
  number.tell({ level: "STANDARD", isOnBusinessApp: false });
  await number.look();
  assertEquals(await number.events(), []);
  number.tell({ level: "STANDARD", isOnBusinessApp: true });
  await number.look();
  await number.look();
  const change = { reason: null, limit: null, previousLimit: null, effectiveAt: null };
  assertEquals(await number.events(), [{ ...change, allowance: coexisting }]);
  assertEquals(await number.sendingPace(), 20);
  assertEquals((await number.read()).pace, { messagesPerSecond: 80 }, "the setting stays");
  assertEquals((await number.change({ name: "Outro" })).status, 200, "and refuses no other one");
  number.tell({ level: "HIGH", isOnBusinessApp: false });
  await number.look();
  assertEquals((await number.events())[1]?.allowance, high);
  assertEquals(await number.sendingPace(), 80);
  // What the channel leaves out stays as it was.
  number.tell({});
  await number.look();
  assertEquals((await number.read()).allowance, high);
  assertEquals((await number.events()).length, 2);
});

Deno.test("each change is one instance.limit_changed with the allowance, by webhook or by call", async () => {
  await using number = await createNumber();
  const upgrade = { change: "THROUGHPUT_UPGRADE", allowance: { throughput: "HIGH" } };
  await number.hear(upgrade);
  number.tell({ level: "HIGH", isOnBusinessApp: false });
  await number.look();
  await number.hear(upgrade);
  number.tell({ level: "HIGH", isOnBusinessApp: true });
  await number.look();
  await number.hear(upgrade);
  assertEquals((await number.change(pace(21))).status, 400, "whatever its level");
  number.tell({ level: "STANDARD", isOnBusinessApp: true });
  await number.look();
  number.tell({ level: "STANDARD", isOnBusinessApp: false });
  await number.look();
  await number.look();
  const standard = { messagesPerSecond: 80, source: "throughput", ...untold };
  assertEquals((await number.events()).map(({ reason, allowance }) => [reason, allowance]), [
    ["THROUGHPUT_UPGRADE", high],
    [null, coexisting],
    [null, standard],
  ]);
  assertEquals((await number.read()).allowance, standard);
});

Deno.test("nothing is known of the number of other credentials", async () => {
  await using number = await createNumber();
  number.tell({ level: "HIGH", isOnBusinessApp: false });
  await number.look();
  assertEquals((await number.change(pace(300))).status, 200);
  const both = { providerConfig: number.otherConfig, ...pace(400) };
  assertEquals((await number.change(both)).status, 400);
  assertEquals((await number.change({ providerConfig: number.otherConfig })).status, 200);
  assertEquals((await number.read()).allowance, byDefault);
  assertEquals(await number.sendingPace(), 80);
});
