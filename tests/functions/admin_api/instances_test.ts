import { assert, assertEquals, assertMatch, assertNotEquals } from "../../support/assert.ts";
import {
  type AdminClient,
  type Body,
  countRows,
  createAdminClient,
  createInstance,
  createWorkspace,
  instanceRequest,
  issuePaths,
} from "./admin_client.ts";

/** Everything the instances' tables hold, as one text. */
async function readStored(client: AdminClient): Promise<string> {
  const rows = await client.database.admin`
    select (select jsonb_agg(i) from messaging.instances i) as instances,
      (select jsonb_agg(k) from messaging.idempotency_keys k) as keys`;
  return JSON.stringify(rows);
}

async function openConfig(client: AdminClient, instanceId: string): Promise<Body> {
  const [row] = await client.database.admin`
    select sealed_provider_config as sealed from messaging.instances where id = ${instanceId}`;
  return await client.vault.open(row?.["sealed"], instanceId);
}

Deno.test("an instance is created with its defaults, read alone and in its workspace", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const request = instanceRequest(workspaceId);
  const created = await client.create("/instances", request);
  const { instanceId, embedKey, createdAt, ...rest } = created;
  assertMatch(embedKey, /^emb_[A-Za-z0-9_-]{32}$/);
  assertMatch(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  assertEquals(rest, {
    success: true,
    workspaceId,
    name: "Recepção",
    provider: "zapi",
    gatewayInstanceId: (request["providerConfig"] as Body)["gatewayInstanceId"],
    businessInstanceId: null,
    connectedPhone: "551188887777",
    timeZone: "America/Sao_Paulo",
    sendWindow: { start: "08:00", end: "20:00", days: [1, 2, 3, 4, 5], holidays: [] },
    optOut: {
      keywords: ["STOP", "SAIR", "PARAR", "DESCADASTRAR"],
      resumeKeywords: ["START", "VOLTAR"],
      confirmation:
        "Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.",
    },
    protection: null,
    pace: null,
    budget: null,
    idle: [],
    turns: null,
    retention: { messagesDays: null, mediaDays: null, providerEventsDays: 30 },
    transcribeVoice: "agent",
    historyImport: null,
    allowance: { messagesPerSecond: null, source: null, newChats: null, timeLock: null },
    onUnconfirmed: "hold",
    interactiveRendering: "auto",
    readReceipts: "off",
    directSend: false,
    configureWebhooks: true,
    freeServiceMessagesPerMonth: 1_000,
    requestsPerMinute: 18_000,
    webhookPath: `provider-webhook/zapi/${instanceId}`,
  });
  await createInstance(client);
  const { body: one } = await client.call("GET", `/instances/${instanceId}`);
  assertEquals(one, created);
  const { body: list } = await client.call("GET", `/instances?workspaceId=${workspaceId}`);
  assertEquals([{ success: true, ...list.items[0] }, list.items.length], [created, 1]);
});

Deno.test("an instance is named by any of its three forms, in paths, bodies and queries", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { instanceId, embedKey } = await client.create("/instances", {
    ...instanceRequest(workspaceId),
    businessInstanceId: "clinic-1",
  });
  for (const reference of [instanceId, instanceId.toUpperCase(), embedKey, "clinic-1"]) {
    const read = await client.call("GET", `/instances/${reference}`);
    assertEquals([read.status, read.body.instanceId], [200, instanceId], reference);
    const changed = await client.call("PATCH", `/instances/${reference}`, {
      body: { name: reference },
    });
    assertEquals([changed.status, changed.body.name], [200, reference]);
    const token = await client.create(`/instances/${reference}/tokens`, {});
    assertEquals(token.instanceId, instanceId);
    const agent = { instanceId: reference, name: "Ana", instructions: "Oi.", model: "m" };
    assertEquals((await client.create("/agents", agent)).instanceId, instanceId);
    const agents = await client.call("GET", `/agents?instanceId=${reference}`);
    assert(agents.body.items.length > 0, reference);
  }
  for (const reference of ["clinic-2", "emb_none", "%00", "x".repeat(300)]) {
    const { status, body } = await client.call("GET", `/instances/${reference}`);
    assertEquals([status, body.error], [404, "Instance not found"], reference);
  }
});

Deno.test("an instance stands with its identity key, holidays, pacing and dispatch", async () => {
  await using client = await createAdminClient();
  const { instanceId, sendWindow } = await client.create("/instances", {
    ...instanceRequest(await createWorkspace(client)),
    businessInstanceId: "clinic-1",
    onUnconfirmed: "retry",
    sendWindow: {
      start: "00:00",
      end: "24:00",
      days: [7, 1, 6],
      holidays: ["2026-12-25", "2026-01-01", "2026-12-25"],
    },
  });
  assertEquals(sendWindow, {
    start: "00:00",
    end: "24:00",
    days: [1, 6, 7],
    holidays: ["2026-01-01", "2026-12-25"],
  });
  const [row] = await client.database.admin`
    select i.connected_phone_key, i.business_instance_id, i.on_unconfirmed,
      p.last_slot_at::text, d.next_due_at::text, d.in_flight
    from messaging.instances i join messaging.pacing p on p.instance_id = i.id join messaging.dispatch d on d.instance_id = i.id
    where i.id = ${instanceId}`;
  assertEquals({ ...row }, {
    connected_phone_key: "5511988887777",
    business_instance_id: "clinic-1",
    on_unconfirmed: "retry",
    last_slot_at: "-infinity",
    next_due_at: "infinity",
    in_flight: null,
  });
});

Deno.test("credentials of every provider are stored sealed and never come back", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const configs = {
    zapi: {
      gatewayInstanceId: "3C02",
      token: "secret-a",
      webhookSecret: "secret-b-of-24-characters",
    },
    evolution: {
      baseUrl: "http://127.0.0.1:9/evolution",
      instanceName: "clinic",
      apiKey: "secret-c",
      webhookSecret: "secret-d-of-24-characters",
    },
    whatsapp_cloud: {
      phoneNumberId: "1055",
      accessToken: "secret-e",
      appSecret: "secret-f",
      verifyToken: "secret-g",
    },
  };
  const ids = { zapi: "3C02", evolution: "clinic", whatsapp_cloud: "1055" };
  for (const [provider, providerConfig] of Object.entries(configs)) {
    const body = { ...instanceRequest(workspaceId), provider, providerConfig };
    const headers = { "idempotency-key": provider };
    const created = await client.call("POST", "/instances", { body, headers });
    const { instanceId } = created.body;
    assertEquals(created.status, 201);
    assertEquals(created.body.gatewayInstanceId, ids[provider as keyof typeof ids]);
    assertEquals(await openConfig(client, instanceId), providerConfig);
    const patched = await client.call("PATCH", `/instances/${instanceId}`, {
      body: { providerConfig },
    });
    const read = await client.call("GET", `/instances/${instanceId}`);
    const listed = await client.call("GET", "/instances");
    for (const { text } of [created, patched, read, listed]) {
      assert(!/secret-|"v1\.|ealed|token|apiKey/i.test(text), text);
    }
  }
  assert(!(await readStored(client)).includes("secret-"));
  assert(!client.logLines.some((line) => /secret-|551188887777/.test(line)));
});

Deno.test("an official instance may wait for its number", async () => {
  await using client = await createAdminClient();
  const created = await client.create("/instances", {
    ...instanceRequest(await createWorkspace(client)),
    provider: "whatsapp_cloud",
    providerConfig: { accessToken: "secret-a", appSecret: "secret-b", verifyToken: "secret-c" },
  });
  assertEquals(created.gatewayInstanceId, null);
});

Deno.test("every fault of a new instance is told at once without its values, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const answer = await client.call("POST", "/instances", {
    body: {
      workspaceId,
      name: "",
      provider: "zapi",
      providerConfig: { token: "secret token", webhookSecret: "secret/webhook" },
      connectedPhone: "+55 (11) 8888-7777",
      timeZone: "+03:00",
      sendWindow: { days: [1, 1] },
      onUnconfirmed: "resend",
      requestsPerMinute: 0,
    },
  });
  assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
  assertEquals(issuePaths(answer), [
    "connectedPhone",
    "name",
    "onUnconfirmed",
    "providerConfig.gatewayInstanceId",
    "providerConfig.token",
    "providerConfig.webhookSecret",
    "requestsPerMinute",
    "sendWindow.days",
    "timeZone",
  ]);
  assert(!answer.text.includes("secret"));
  const empty = await client.call("POST", "/instances", { body: {} });
  assertEquals(issuePaths(empty), [
    ...["connectedPhone", "name", "provider", "providerConfig", "timeZone", "workspaceId"],
  ]);
  const unknown = await client.call("POST", "/instances", {
    body: instanceRequest("3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11"),
  });
  assertEquals([unknown.status, unknown.body.error], [404, "workspace_not_found"]);
  for (const table of ["instances", "pacing", "dispatch", "holidays"]) {
    assertEquals(await countRows(client, table), 0);
  }
});

const badWindows: readonly (readonly [object, string])[] = [
  [{ start: "24:00" }, "sendWindow.start"],
  [{ start: "8:00" }, "sendWindow.start"],
  [{ start: "20:00" }, "sendWindow.start"],
  [{ end: "24:01" }, "sendWindow.end"],
  [{ end: "08:00" }, "sendWindow.end"],
  [{ start: "12:00", end: "11:59" }, "sendWindow.end"],
  [{ days: [] }, "sendWindow.days"],
  [{ days: [0] }, "sendWindow.days.0"],
  [{ days: [1, 8] }, "sendWindow.days.1"],
  [{ days: [7.5] }, "sendWindow.days.0"],
  [{ days: [2, 2] }, "sendWindow.days"],
  [{ holidays: ["2026-02-29"] }, "sendWindow.holidays.0"],
  [{ holidays: ["0000-01-01"] }, "sendWindow.holidays.0"],
  [{ holidays: ["25/12/2026"] }, "sendWindow.holidays.0"],
  [{ holidays: Array(1_001).fill("2026-12-25") }, "sendWindow.holidays"],
];

Deno.test("a send window that could not be kept is refused when created and when changed", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { instanceId, ...before } = await client.create("/instances", instanceRequest(workspaceId));
  for (const [sendWindow, path] of badWindows) {
    const body = { ...instanceRequest(workspaceId), sendWindow };
    const created = await client.call("POST", "/instances", { body });
    assertEquals([created.status, issuePaths(created)], [400, [path]], JSON.stringify(sendWindow));
    const changed = await client.call("PATCH", `/instances/${instanceId}`, {
      body: { name: "changed", sendWindow },
    });
    assertEquals([changed.status, issuePaths(changed)], [400, [path]], JSON.stringify(sendWindow));
  }
  const { body } = await client.call("GET", `/instances/${instanceId}`);
  assertEquals(body, { instanceId, ...before });
  assertEquals(await countRows(client, "instances"), 1);
});

Deno.test("a time zone must be a name that code and database both know", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const instanceId = await createInstance(client, workspaceId);
  // The code alone would take the lower-case one, the database alone the last.
  const bad = ["Mars/Base", "america/sao_paulo", "-03:00", "posix/UTC"];
  for (const timeZone of bad) {
    const body = { ...instanceRequest(workspaceId), timeZone };
    const created = await client.call("POST", "/instances", { body });
    assertEquals([created.status, issuePaths(created)], [400, ["timeZone"]], timeZone);
    const changed = await client.call("PATCH", `/instances/${instanceId}`, { body: { timeZone } });
    assertEquals([changed.status, issuePaths(changed)], [400, ["timeZone"]], timeZone);
  }
  for (const timeZone of ["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires"]) {
    const changed = await client.call("PATCH", `/instances/${instanceId}`, { body: { timeZone } });
    assertEquals([changed.status, changed.body.timeZone], [200, timeZone]);
  }
  assertEquals(await countRows(client, "instances"), 1);
});

Deno.test("a change writes only what it holds, a send window part by part", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const request = { ...instanceRequest(workspaceId), businessInstanceId: "clinic-1" };
  const created = await client.create("/instances", request);
  const path = `/instances/${created.instanceId}`;
  let expected = created;
  const changes: readonly (readonly [object, object])[] = [
    [{}, {}],
    [{ name: "Caixa" }, { name: "Caixa" }],
    [{ connectedPhone: "5511977776666" }, { connectedPhone: "5511977776666" }],
    [{ onUnconfirmed: "retry" }, { onUnconfirmed: "retry" }],
    [{ requestsPerMinute: 60 }, { requestsPerMinute: 60 }],
    [{ requestsPerMinute: null }, { requestsPerMinute: null }],
    [{ businessInstanceId: null }, { businessInstanceId: null }],
  ];
  const fixed = { provider: "evolution", embedKey: "emb_x", instanceId: "x" };
  const unchanged = await client.call("PATCH", path, { body: fixed });
  assertEquals(
    [unchanged.status, unchanged.body],
    [200, { ...created, ignoredFields: Object.keys(fixed) }],
  );
  for (const [body, change] of changes) {
    const changed = await client.call("PATCH", path, { body });
    expected = { ...expected, ...change };
    assertEquals([changed.status, changed.body], [200, expected]);
  }
  const windows = [{ end: "24:00" }, { start: "21:00" }, { days: [6] }, {
    holidays: ["2026-12-25"],
  }, { holidays: [] }];
  for (const sendWindow of windows) {
    const changed = await client.call("PATCH", path, { body: { sendWindow } });
    expected = { ...expected, sendWindow: { ...expected.sendWindow, ...sendWindow } };
    assertEquals([changed.status, changed.body], [200, expected]);
  }
  assertEquals((await client.call("GET", path)).body, expected);
  const [row] = await client.database.admin`select connected_phone_key from messaging.instances`;
  assertEquals(row?.["connected_phone_key"], "5511977776666");
});

Deno.test("new credentials replace the old ones whole, for the instance's own provider", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const stored = await readStored(client);
  const bad = await client.call("PATCH", `/instances/${instanceId}`, {
    body: { name: "changed", providerConfig: { instanceName: "x", apiKey: "secret-x" } },
  });
  assertEquals([bad.status, bad.body.error], [400, "invalid_request"]);
  assertEquals(issuePaths(bad), [
    "providerConfig.gatewayInstanceId",
    "providerConfig.token",
    "providerConfig.webhookSecret",
  ]);
  assertEquals(await readStored(client), stored);

  const providerConfig = {
    gatewayInstanceId: "3C09",
    token: "secret-n",
    webhookSecret: "secret-w-of-24-characters",
  };
  const { status, body } = await client.call("PATCH", `/instances/${instanceId}`, {
    body: { providerConfig: { ...providerConfig, unknown: "secret-u" } },
  });
  assertEquals([status, body.gatewayInstanceId], [200, "3C09"]);
  assertEquals(await openConfig(client, instanceId), providerConfig);
  assertNotEquals(await readStored(client), stored);
});

Deno.test("what webhooks are authenticated by has a least length", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const gateway = { gatewayInstanceId: "3C03", token: "secret-a", instanceName: "x", apiKey: "k" };
  const official = { accessToken: "secret-e", appSecret: "12345678", verifyToken: "12345678" };
  const configs = [
    ["zapi", { ...gateway, webhookSecret: "w".repeat(24) }, "webhookSecret"],
    [
      "evolution",
      { ...gateway, baseUrl: "http://e", webhookSecret: "w".repeat(24) },
      "webhookSecret",
    ],
    ["whatsapp_cloud", official, "appSecret"],
    ["whatsapp_cloud", official, "verifyToken"],
  ] as const;
  for (const [provider, providerConfig, field] of configs) {
    const secret = String({ ...providerConfig }[field as never]);
    const short = { ...providerConfig, [field]: secret.slice(1) };
    const refused = await client.call("POST", "/instances", {
      body: { ...instanceRequest(workspaceId), provider, providerConfig: short },
    });
    assertEquals([refused.status, refused.body.error], [400, "invalid_request"], provider);
    assertEquals(refused.body.issues, [{
      path: `providerConfig.${field}`,
      message: `must have at least ${secret.length} characters`,
    }]);
    const created = await client.call("POST", "/instances", {
      body: { ...instanceRequest(workspaceId), provider, providerConfig },
    });
    assertEquals(created.status, 201);
    const patched = await client.call("PATCH", `/instances/${created.body.instanceId}`, {
      body: { providerConfig: short },
    });
    assertEquals([patched.status, patched.body.issues], [400, refused.body.issues]);
  }
});
