/** Each setting of the contract is a column that is written, changed and answered alike. */

import type * as z from "zod";
import {
  createInstanceSchema,
  updateInstanceSchema,
} from "../../../functions/admin-api/instance_contract.ts";
import { instances } from "../../../functions/admin-api/resources/instances.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createAdminClient, createWorkspace, instanceRequest } from "./admin_client.ts";

/** What a change may hold; credentials are never answered. */
const { providerConfig: _credentials, ...settings } = updateInstanceSchema.shape;

/** Values of which every setting takes one. */
const candidates: readonly unknown[] = [
  { start: "09:00", end: "18:00", days: [1, 2], holidays: ["2026-12-25"] },
  { keywords: ["CHEGA"], resumeKeywords: [], confirmation: null },
  {
    dailyLimit: 500,
    newContactsPerDay: 40,
    jitterSeconds: 20,
    warmUp: { startPerDay: 20, rampDays: 14, startedAt: "2026-11-20T10:00:00.000Z" },
  },
  { messagesDays: 365, mediaDays: 90, providerEventsDays: null },
  { messagesPerSecond: 40 },
  { monthlyAmount: "250.50", warnAtPercent: 90, stops: ["marketing", "batches"] },
  { quietSeconds: 8, maxSeconds: 60 },
  [{ afterMinutes: 30, awaiting: "us" }, { afterMinutes: 60, awaiting: "customer" }],
  "America/Manaus",
  "always",
  "retry",
  "text",
  "on_reply",
  600,
  true,
  false,
  "5511977776666",
];

function sampleOf(field: z.ZodType, present: unknown): unknown {
  return candidates.find((value) => {
    const parsed = field.safeParse(value);
    return parsed.success && JSON.stringify(parsed.data) !== JSON.stringify(present);
  });
}

function officialRequest(workspaceId: string): Record<string, unknown> {
  return {
    ...instanceRequest(workspaceId),
    provider: "whatsapp_cloud",
    providerConfig: {
      phoneNumberId: String(crypto.getRandomValues(new Uint32Array(1))[0]),
      ...{ accessToken: "secret-token", appSecret: "secret-app", verifyToken: "secret-verify" },
    },
  };
}

Deno.test("every setting of an instance can be given, changed and read", async (test) => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const gateway = await client.create("/instances", instanceRequest(workspaceId));
  const official = await client.create("/instances", officialRequest(workspaceId));
  for (const [name, field] of Object.entries(settings)) {
    await test.step(name, async () => {
      // A gateway takes no pace.
      const [plain, request] = name === "pace"
        ? [official, officialRequest]
        : [gateway, instanceRequest];
      const sample = sampleOf(field, plain[name]);
      assert(sample !== undefined, `add a value that ${name} takes to the candidates`);
      const given = await client.create("/instances", {
        ...request(workspaceId),
        [name]: sample,
      });
      assertEquals(given[name], sample, "when it is created");
      await client.call("PATCH", `/instances/${given.instanceId}`, {
        body: { [name]: plain[name] },
      });
      const path = `/instances/${plain.instanceId}`;
      const { body: changed } = await client.call("PATCH", path, { body: { [name]: sample } });
      assertEquals(changed[name], sample, "when it is changed");
      assertEquals((await client.call("GET", path)).body[name], sample, "when it is read");
      await client.call("PATCH", path, { body: { [name]: plain[name] } });
    });
  }
});

Deno.test("an instance is answered with what its schema says, and every setting can be given at its creation", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { success: _, ...instance } = await client.create(
    "/instances",
    instanceRequest(workspaceId),
  );
  assertEquals(Object.keys(instance).sort(), Object.keys(instances.record).sort());
  const missing = (names: object): string[] =>
    Object.keys(settings).filter((name) => !Object.hasOwn(names, name));
  assertEquals(missing(createInstanceSchema.shape), []);
  assertEquals(missing(instances.record), []);
});

/** Columns that are no settings by their own names: keys, credentials, parts of the send window, of optOut, of
 * retention and of pace, and what follows the workspace. */
const otherColumns = [
  ...["id", "workspace_id", "provider", "embed_key", "created_at", "updated_at"],
  ...["provider_class", "sealed_provider_config", "gateway_instance_id", "connected_phone_key"],
  "people_scope",
  ...["window_start", "window_end", "window_days", "messages_per_second"],
  ...["opt_out_keywords", "opt_out_resume_keywords", "opt_out_confirmation"],
  ...["retention_messages_days", "retention_media_days", "retention_provider_events_days"],
];

Deno.test("every column of an instance is a setting of the contract, or is known not to be one", async () => {
  await using client = await createAdminClient();
  const columns = await client.database.admin<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'messaging' and table_name = 'instances'`;
  const known = Object.keys(settings).map((name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  );
  assertEquals(
    columns.map(({ name }) => name)
      .filter((name) => !known.includes(name) && !otherColumns.includes(name)),
    [],
  );
});

Deno.test("retention is whole days from 1, null is for ever, and absent members keep their values", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { instanceId, retention } = await client.create("/instances", instanceRequest(workspaceId));
  assertEquals(retention, { messagesDays: null, mediaDays: null, providerEventsDays: 30 });
  const path = `/instances/${instanceId}`;
  const change = (retention: unknown) => client.call("PATCH", path, { body: { retention } });
  await change({ messagesDays: 180 });
  const { body } = await change({ providerEventsDays: null });
  assertEquals(body.retention, { messagesDays: 180, mediaDays: null, providerEventsDays: null });
  for (
    const [wrong, at] of [
      [{ messagesDays: 0 }, "retention.messagesDays"],
      [{ mediaDays: -1 }, "retention.mediaDays"],
      [{ providerEventsDays: "30" }, "retention.providerEventsDays"],
      [{ providerEventsDays: 36_501 }, "retention.providerEventsDays"],
      [{}, "retention"],
      ["ever", "retention"],
    ] as const
  ) {
    const refused = await change(wrong);
    assertEquals([refused.status, refused.body.error], [400, "invalid_request"]);
    assertEquals(refused.body.issues.map(({ path }: { path: string }) => path), [at]);
  }
  assertEquals((await client.call("GET", path)).body.retention, body.retention);
});

Deno.test("transcribeVoice has three names, and takes the true and false of before", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { instanceId, transcribeVoice } = await client.create(
    "/instances",
    instanceRequest(workspaceId),
  );
  assertEquals(transcribeVoice, "agent");
  const change = (transcribeVoice: unknown) =>
    client.call("PATCH", `/instances/${instanceId}`, { body: { transcribeVoice } });
  for (
    const [given, stored] of [
      ...[["never", "never"], ["always", "always"], ["agent", "agent"]] as const,
      ...[[true, "always"], [null, "always"], [false, "never"], [null, "never"]] as const,
    ]
  ) {
    assertEquals((await change(given)).body.transcribeVoice, stored, `${given}`);
  }
  for (const wrong of ["true", "AGENT", 1, {}]) {
    const { status, body } = await change(wrong);
    assertEquals([status, body.issues], [400, [{
      path: "transcribeVoice",
      message: "must be one of agent, always, never",
    }]], JSON.stringify(wrong));
  }
});

Deno.test("pace is 1 to 80 messages a second of an official instance of which nothing is known, and nothing of a gateway", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const refuse = async (request: Record<string, unknown>, pace: unknown): Promise<string[]> => {
    const { status, body } = await client.call("POST", "/instances", {
      body: { ...request, pace },
    });
    assertEquals([status, body.error], [400, "invalid_request"], JSON.stringify(pace));
    return body.issues.map(({ path }: { path: string }) => path);
  };
  for (const messagesPerSecond of [0, 81, 80.5, 1_001, "10"]) {
    const paths = await refuse(officialRequest(workspaceId), { messagesPerSecond });
    assertEquals(paths, ["pace.messagesPerSecond"]);
  }
  assertEquals(await refuse(instanceRequest(workspaceId), { messagesPerSecond: 10 }), ["pace"]);
  const { instanceId, pace } = await client.create("/instances", {
    ...instanceRequest(workspaceId),
    pace: null,
  });
  assertEquals(pace, null);
  const { status, body } = await client.call("PATCH", `/instances/${instanceId}`, {
    body: { pace: { messagesPerSecond: 10 } },
  });
  assertEquals([status, body.issues[0].path], [400, "pace"]);
});
