/** A link connects one phone: who has it, how long, and what is left of it afterwards. */

import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import { createAdminClient, issuePaths } from "../admin_api/admin_client.ts";
import { createConnectClient, ownPhone } from "./connect_client.ts";

for (const provider of ["zapi", "evolution"]) {
  Deno.test(`a link of ${provider} leads from the code to the test message, and ends`, async () => {
    await using client = await createConnectClient();
    const link = await client.createLink(provider, { language: "es" });
    assertMatch(
      link.url,
      /^https:\/\/api\.example\.com\/functions\/v1\/connect#mcl_[\w-]{43}$/,
    );
    const { token } = link;
    const opened = await client.post("/open", { token });
    assertEquals([opened.status, opened.body.name, opened.body.language], [
      200,
      "Clínica Sol",
      "es",
    ]);
    assertEquals(opened.headers.get("cache-control"), "no-store");
    const look = { token, page: opened.body.page };
    const state = (await client.post("/state", look)).body;
    assertEquals([state.state, state.methods], ["disconnected", ["qr", "code"]]);
    assertMatch((await client.post("/qr", look)).body.image, /^data:image\/png;base64,/);
    const { code } = (await client.post("/code", { ...look, phone: ownPhone })).body;

    assertEquals(await client.pair(link, ownPhone, code), 201);

    const connected = (await client.post("/state", look)).body;
    assertEquals(
      [connected.state, connected.phone, connected.isExpectedPhone],
      ["connected", ownPhone, true],
    );
    assertEquals(await client.eventsOf(link.instanceId), [
      ["instance.connected", { reason: null }],
      ["instance.connection_link_used", { linkId: link.linkId }],
    ]);
    assertEquals((await client.post("/test", look)).status, 200);
    const { items } = await client.simulator.read("/messages");
    assertEquals(items.map(({ to, text }) => [to, text]), [
      [ownPhone, "Prueba: Clínica Sol está conectado a este WhatsApp."],
    ]);
    const [stored] = await client.admin.database
      .admin`select count(*)::int as n from messaging.messages`;
    assertEquals(stored?.["n"], 0, "the own number is no contact's");
    assertEquals((await client.post("/state", look)).body.state, "connected", "the page goes on");
    assertEquals((await client.eventsOf(link.instanceId)).length, 2, "a link is used once");
  });
}

Deno.test("a link that leaked after its use opens nothing, and two pages see one state", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("zapi");
  const pages = await Promise.all([1, 2].map(async () => {
    const { page } = (await client.post("/open", { token: link.token })).body;
    return { token: link.token, page };
  }));
  await client.post("/qr", pages[0]);
  assertEquals(await client.pair(link, ownPhone), 201);
  for (const page of pages) {
    assertEquals((await client.post("/state", page)).body.state, "connected");
  }
  const leaked = await client.post("/open", { token: link.token });
  assertEquals([leaked.status, leaked.body.error], [410, "connection_link_ended"]);
  assertFalse(JSON.stringify(leaked.body).includes("Clínica"), "nothing of the instance");
  // A page of another link, a made up one, and one that opened afterwards.
  const other = await client.createLink("zapi");
  const foreign = (await client.post("/open", { token: other.token })).body.page;
  for (const page of [foreign, "k1.made.up", ""]) {
    for (const path of ["/state", "/qr", "/test"]) {
      const refused = await client.post(path, { token: link.token, page });
      assertEquals([refused.status, refused.body.error], [410, "connection_link_ended"], path);
    }
  }
  const { admin } = client.admin.database;
  await admin`update messaging.connection_links set expires_at = now()`;
  assertEquals((await client.post("/test", pages[0])).status, 200, "for 15 minutes at least");
  await admin`update messaging.connection_links set used_at = used_at - interval '16 minutes'`;
  // Opened before that, as the pages were.
  const openedAt = new Date(Date.now() - 20 * 60_000).toISOString();
  const [row] = await admin`
    select token_hash from messaging.connection_links where id = ${link.linkId}`;
  const enter = { tokenHash: row?.["token_hash"], openedAt, sendsTest: false };
  const late = await client.admin.rpc("enter_connection_link", enter);
  assert("refused" in late && late.refused === "ended");
  await admin`update messaging.connection_links set expires_at = now() + interval '1 minute'`;
  const slept = await client.admin.rpc("enter_connection_link", enter);
  assert("isUsed" in slept && slept.isUsed, "to the link's own end, for a browser that slept");
});

Deno.test("a link whose phone is connected while its page sleeps has ended, and its page goes on", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("zapi");
  const { token, instanceId, linkId } = link;
  const look = { token, page: (await client.post("/open", { token })).body.page };
  await client.post("/qr", look);
  // Nobody has opened this one: it ends when somebody does.
  const unopened =
    (await client.admin.call("POST", `/instances/${instanceId}/connection-link`)).body;
  const tell = (): Promise<unknown> =>
    client.admin.call("GET", `/instances/${instanceId}/connection`);

  await client.pair(link, "5521977776666");
  await tell();
  assertEquals((await client.post("/open", { token })).status, 200, "a wrong phone ends nothing");
  await client.simulator.post("/connections", {
    ...{ provider: "zapi", instance: link.name, state: "disconnected" },
  });
  await client.post("/qr", look);
  assertEquals(await client.pair(link, ownPhone), 201);
  await tell();

  const used = (await client.eventsOf(instanceId)).filter(([type]) => type.endsWith("link_used"));
  assertEquals(used, [["instance.connection_link_used", { linkId }]]);
  assertEquals((await client.post("/open", { token })).body.error, "connection_link_ended");
  assertEquals((await client.post("/state", look)).body.state, "connected");
  assertEquals((await client.post("/test", look)).status, 200);
  const [, late] = unopened.url.split("#");
  const { page } = (await client.post("/open", { token: late })).body;
  assertEquals((await client.post("/state", { token: late, page })).body.state, "connected");
  assertEquals((await client.post("/open", { token: late })).status, 410);
});

Deno.test("a link ends by its time and by its revocation, with its open pages", async () => {
  await using client = await createConnectClient();
  const { admin } = client;
  for (const end of ["expiry", "revocation"]) {
    const { token, instanceId, linkId } = await client.createLink("evolution");
    const { page } = (await client.post("/open", { token })).body;
    assertEquals((await client.post("/state", { token, page })).status, 200);
    if (end === "expiry") {
      await admin.database.admin`
        update messaging.connection_links set expires_at = now() where id = ${linkId}`;
    } else {
      const path = `/instances/${instanceId}/connection-link/${linkId}`;
      const revoked = await admin.call("DELETE", path);
      assertEquals(revoked.status, 200, revoked.text);
      assertMatch(revoked.body.revokedAt, /Z$/);
      assertEquals((await admin.call("DELETE", path)).body, revoked.body);
    }
    for (const [path, body] of [["/open", { token }], ["/state", { token, page }]] as const) {
      const refused = await client.post(path, body);
      assertEquals([refused.status, refused.body.error], [410, "connection_link_ended"], end);
    }
  }
  const unknown = await client.post("/open", { token: `mcl_${"x".repeat(43)}` });
  assertEquals([unknown.status, unknown.body.error], [404, "connection_link_not_found"]);
});

Deno.test("a wrong phone leaves the link open for the right one", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("zapi");
  const { token } = link;
  const { page } = (await client.post("/open", { token })).body;
  await client.post("/qr", { token, page });
  await client.pair(link, "5521977776666");
  const wrong = (await client.post("/state", { token, page })).body;
  assertEquals([wrong.state, wrong.isExpectedPhone], ["connected", false]);
  assertEquals((await client.post("/open", { token })).status, 200);
  assertEquals((await client.eventsOf(link.instanceId)).map(([type]) => type), [
    "instance.connected",
    "instance.held",
  ]);
});

Deno.test("a page that asks for a code for what is no phone is refused before the gateway is asked", async () => {
  await using client = await createConnectClient();
  for (const provider of ["zapi", "evolution"]) {
    const { token } = await client.createLink(provider);
    const { page } = (await client.post("/open", { token })).body;
    for (const phone of ["5511", "+5511988887777", "", 5511988887777, null]) {
      const { status, body } = await client.post("/code", { token, page, phone });
      assertEquals(
        [status, body.issues.map(({ path }: { path: string }) => path)],
        [400, ["phone"]],
        JSON.stringify(phone),
      );
    }
  }
});

Deno.test("all pages of a link look 30 times a minute together, and send five tests", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("zapi");
  const { token } = link;
  const { page } = (await client.post("/open", { token })).body;
  await client.post("/qr", { token, page });
  await client.pair(link, ownPhone);
  await client.post("/state", { token, page });
  const tests = [];
  for (let index = 0; index < 6; index += 1) {
    tests.push((await client.post("/test", { token, page })).status);
  }
  assertEquals(tests, [200, 200, 200, 200, 200, 429]);
  let looks = 8;
  let refused;
  for (; looks <= 40; looks += 1) {
    refused = await client.post("/state", { token, page });
    if (refused.status !== 200) break;
  }
  assertEquals([refused?.status, refused?.body.error], [429, "rate_limited"]);
  assert(looks >= 30 && looks <= 34, `${looks} looks`);
  assertMatch(refused?.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});

Deno.test("looks that a clock counted which was ahead count no longer once it is set back", async () => {
  await using client = await createConnectClient();
  const { token } = await client.createLink("zapi");
  assertEquals((await client.post("/open", { token })).status, 200);
  await client.admin.database.admin`
    update messaging.connection_links set looks_whole_at = looks_whole_at + interval '1 hour'`;
  const statuses = [];
  for (let look = 0; look < 40 && statuses.at(-1) !== 429; look += 1) {
    statuses.push((await client.post("/open", { token })).status);
  }
  assertEquals(statuses.slice(0, 30), Array(30).fill(200));
  assertEquals(statuses.at(-1), 429);
});

Deno.test("no token, page, code or phone of a link is in a log, an event or an error", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("evolution");
  const { token } = link;
  const { page } = (await client.post("/open", { token })).body;
  const { code } = (await client.post("/code", { token, page, phone: ownPhone })).body;
  const { image } = (await client.post("/qr", { token, page })).body;
  await client.simulator.post("/sessions", {
    ...{ provider: "evolution", instance: link.name, behavior: "error" },
  });
  const refused = await client.post("/qr", { token, page });
  assertEquals([refused.status, refused.body.error], [502, "provider_connection_failed"]);
  assertEquals(refused.body.details, { code: "http_200" }, "no words of the gateway");
  const told = [
    ...client.logLines,
    ...client.admin.logLines,
    JSON.stringify(await client.eventsOf(link.instanceId)),
    JSON.stringify(refused.body),
    JSON.stringify(await client.admin.database.admin`select * from messaging.connection_links`),
  ].join("\n");
  for (const word of [token, page, code, image, ownPhone]) assertFalse(told.includes(word), word);
  assert(told.includes(link.instanceId), "the instance is named");
});

Deno.test("a link wants an instance that can be connected, five minutes to a day, and a known language", async () => {
  await using client = await createConnectClient();
  const { instanceId } = await client.createLink("zapi");
  const path = `/instances/${instanceId}/connection-link`;
  for (
    const [body, field] of [
      [{ expiresInMinutes: 4 }, "expiresInMinutes"],
      [{ expiresInMinutes: 1_441 }, "expiresInMinutes"],
      [{ expiresInMinutes: "soon" }, "expiresInMinutes"],
      [{ language: "fr" }, "language"],
      [{ language: "pt-BR" }, "language"],
    ] as const
  ) {
    const refused = await client.admin.call("POST", path, { body });
    assertEquals([refused.status, issuePaths(refused)], [400, [field]], JSON.stringify(body));
  }
  const usual = (await client.admin.call("POST", path)).body;
  const minutes = (Date.parse(usual.expiresAt) - Date.now()) / 60_000;
  assert(minutes > 58 && minutes <= 60.1, `${minutes} minutes`);
  const headers = { "idempotency-key": "one link" };
  const [first, again] = [
    await client.admin.call("POST", path, { body: {}, headers }),
    await client.admin.call("POST", path, { body: {}, headers }),
  ];
  assertEquals([again.status, again.body], [201, first.body], "the same address again");
  const missing = await client.admin.call("DELETE", `${path}/${crypto.randomUUID()}`);
  assertEquals([missing.status, missing.body.error], [404, "connection_link_not_found"]);
});

Deno.test("a link for an official instance is refused, and where no page is served", async () => {
  await using client = await createConnectClient();
  const { workspaceId } = await client.admin.create("/workspaces", { name: "Oficial" });
  const { instanceId } = await client.admin.create("/instances", {
    ...{ workspaceId, name: "Oficial", provider: "whatsapp_cloud", connectedPhone: ownPhone },
    timeZone: "America/Sao_Paulo",
    providerConfig: {
      ...{ accessToken: "secret-access", appSecret: "secret-app", verifyToken: "secret-verify" },
      phoneNumberId: "1065",
    },
  });
  const refused = await client.admin.call("POST", `/instances/${instanceId}/connection-link`);
  assertEquals([refused.status, refused.body.error], [409, "connection_not_available"]);
  assertMatch(refused.body.message, /official channel/);

  await using pageless = await createAdminClient({ connectPageUrl: null });
  const { workspaceId: owner } = await pageless.create("/workspaces", { name: "A" });
  const gateway = await pageless.create("/instances", {
    ...{ workspaceId: owner, name: "A", provider: "zapi", connectedPhone: ownPhone },
    timeZone: "America/Sao_Paulo",
    providerConfig: {
      ...{ gatewayInstanceId: "A", token: "secret-token" },
      webhookSecret: "secret-webhook-of-the-tests",
    },
  });
  const unserved = await pageless.call("POST", `/instances/${gateway.instanceId}/connection-link`);
  assertEquals([unserved.status, unserved.body.error], [409, "connection_page_not_served"]);
});

Deno.test("the page loads nothing from elsewhere, and holds nothing of a link", async () => {
  await using client = await createConnectClient();
  const link = await client.createLink("zapi");
  const response = await client.app.request("/connect?utm_source=a-chat-that-appends");
  const html = await response.text();
  const policy = response.headers.get("content-security-policy") ?? "";
  assertEquals(response.headers.get("content-type"), "text/html; charset=UTF-8");
  assertMatch(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /);
  assertMatch(policy, /connect-src 'self' https:\/\/api\.example\.com; /);
  assertFalse(/unsafe-inline|unsafe-eval/.test(policy));
  assertEquals(response.headers.get("referrer-policy"), "no-referrer");
  assertEquals(html.match(/<(?:script|link|img|iframe)[^>]* (?:src|href)="(?!data:)[^"]*"/g), null);
  for (const word of ["Clínica Sol", link.instanceId, link.token]) assertFalse(html.includes(word));
});
