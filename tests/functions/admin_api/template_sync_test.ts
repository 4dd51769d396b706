import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { findClosedBaseUrl } from "../providers/provider_double.ts";
import {
  type AdminAnswer,
  type AdminClient,
  type AdminClientOptions,
  type Body,
  createAdminClient,
  createInstance,
  createWorkspace,
} from "./admin_client.ts";
import {
  createOfficialInstance,
  listed,
  officialConfig,
  startTemplateProvider,
  type TemplateProvider,
} from "./template_provider.ts";
import { holdTimers } from "../../support/held_timers.ts";

interface World extends AsyncDisposable {
  readonly client: AdminClient;
  readonly provider: TemplateProvider;
  readonly workspaceId: string;
  readonly instanceId: string;
  sync(headers?: Record<string, string>): Promise<AdminAnswer>;
  /** The workspace's templates, oldest first. */
  stored(): Promise<Body[]>;
}

async function createWorld(options: AdminClientOptions = {}): Promise<World> {
  await using cleanup = new AsyncDisposableStack();
  const client = cleanup.use(await createAdminClient(options));
  const provider = cleanup.use(startTemplateProvider());
  const workspaceId = await createWorkspace(client);
  const config = officialConfig(provider.baseUrl);
  const instanceId = await createOfficialInstance(client, workspaceId, config);
  const keep = cleanup.move();
  return {
    client,
    provider,
    workspaceId,
    instanceId,
    sync: (headers = {}) =>
      client.call("POST", `/instances/${instanceId}/templates/sync`, { headers }),
    stored: async () =>
      (await client.call("GET", `/templates?workspaceId=${workspaceId}`)).body.items,
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

function countsOf({ body }: AdminAnswer): Record<string, number> {
  const { created, updated, unchanged, deleted } = body;
  return { created, updated, unchanged, deleted };
}

const nothing = { created: 0, updated: 0, unchanged: 0, deleted: 0 };

Deno.test("a sync stores every page of the provider's list, asked for by cursor at the configured address", async () => {
  await using world = await createWorld();
  const { provider, instanceId } = world;
  provider.templates = ["a", "b", "c", "d", "e"].map((name, index) => listed(`${index}`, name));
  const answer = await world.sync();
  assertEquals([answer.status, answer.body.success, answer.body.instanceId], [
    200,
    true,
    instanceId,
  ]);
  assertEquals(countsOf(answer), { ...nothing, created: 5 });
  const stored = await world.stored();
  const { templateId, createdAt: _, updatedAt: __, ...first } = stored.find((template) =>
    template.name === "a"
  );
  assertEquals(first, {
    workspaceId: world.workspaceId,
    instanceId,
    name: "a",
    language: "pt_BR",
    parameterFormat: "POSITIONAL",
    components: [{ type: "BODY", text: "Olá {{1}}" }],
    category: "UTILITY",
    ...{ categoryChange: null, quality: null, rejectedReason: null, disablesAt: null },
    providerStatus: "APPROVED",
    providerTemplateId: "0",
  });
  assertEquals(answer.body.items[0], {
    templateId,
    name: "a",
    language: "pt_BR",
    providerStatus: "APPROVED",
    providerTemplateId: "0",
    change: "created",
  });
  assertEquals(stored.length, 5);
  const pages = provider.requests.map(({ url }) => url.searchParams.get("after"));
  assertEquals(pages, [null, "cursor-2", "cursor-4"]);
  for (const { url, authorization } of provider.requests) {
    assertEquals(url.pathname, "/v26.0/10229/message_templates");
    assertMatch(url.searchParams.get("fields") ?? "", /category,parameter_format/);
    assertEquals(authorization, "Bearer secret-access-token");
  }
});

Deno.test("a second sync changes only what has changed at the provider, and keeps the ids", async () => {
  await using world = await createWorld();
  const { provider } = world;
  provider.templates = [listed("1", "a"), listed("2", "b"), listed("3", "c")];
  await world.sync();
  const before = await world.stored();
  assertEquals(countsOf(await world.sync()), { ...nothing, unchanged: 3 });
  assertEquals(await world.stored(), before);
  provider.templates = [
    listed("1", "a"),
    listed("2", "b", { status: "PAUSED" }),
    listed("3", "c", { components: [{ type: "BODY", text: "Oi" }], parameter_format: "NAMED" }),
  ];
  const answer = await world.sync();
  assertEquals(countsOf(answer), { ...nothing, updated: 2, unchanged: 1 });
  const changes = answer.body.items.map((item: Body) => [item.name, item.change]);
  assertEquals(changes, [["a", "unchanged"], ["b", "updated"], ["c", "updated"]]);
  const after = await world.stored();
  assertEquals(
    after.map(({ templateId }) => templateId),
    before.map(({ templateId }) => templateId),
  );
  const [a, b, c] = ["a", "b", "c"].map((name) => after.find((one) => one.name === name));
  assertEquals([a, b.providerStatus], [before.find(({ name }) => name === "a"), "PAUSED"]);
  assertEquals([c.components, c.parameterFormat], [[{ type: "BODY", text: "Oi" }], "NAMED"]);
});

Deno.test("what is gone at the provider is DELETED here, and comes back with its id", async () => {
  await using world = await createWorld();
  const { provider } = world;
  provider.templates = [listed("1", "a"), listed("2", "b")];
  await world.sync();
  const [a] = await world.stored();
  provider.templates = [];
  assertEquals(countsOf(await world.sync()), { ...nothing, deleted: 2 });
  assertEquals(countsOf(await world.sync()), nothing);
  assertEquals((await world.stored()).map(({ providerStatus }) => providerStatus), [
    "DELETED",
    "DELETED",
  ]);
  // Deleted and made anew under the same name: another id there, the same template here.
  provider.templates = [listed("9", a.name)];
  const answer = await world.sync();
  assertEquals(countsOf(answer), { ...nothing, updated: 1 });
  assertEquals(answer.body.items[0].templateId, a.templateId);
  assertEquals(answer.body.items[0].providerTemplateId, "9");
});

Deno.test("what the provider decides while its list is read is newer than the list", async () => {
  await using world = await createWorld();
  const { client, provider, instanceId } = world;
  provider.templates = [listed("1", "a"), listed("2", "b")];
  await world.sync();
  const older = [{ ...listed("1", "a"), components: [{ type: "BODY", text: "Oi {{1}}" }] }];
  provider.answer = async () => {
    await client.database.admin`
      select messaging.record_template_status(${instanceId}, e.event::jsonb)
      from (values
        ('{"providerTemplateId": "1", "status": "PAUSED"}'),
        ('{"providerTemplateId": "2", "status": "DISABLED"}')
      ) as e(event)`;
    return Response.json({ data: older });
  };
  const answer = await world.sync();
  assertEquals(countsOf(answer), { ...nothing, updated: 1 });
  const stored = await world.stored();
  assertEquals(
    stored.map(({ name, providerStatus, components: [body] }) => [name, providerStatus, body.text])
      .sort(),
    [["a", "PAUSED", "Oi {{1}}"], ["b", "DISABLED", "Olá {{1}}"]],
  );
  assertEquals(answer.body.items[0].providerStatus, "PAUSED");
});

Deno.test("what a person writes into a template while its list is read is newer than the list", async () => {
  await using world = await createWorld();
  const { client, provider } = world;
  provider.templates = [listed("1", "a")];
  const { body: { items: [{ templateId }] } } = await world.sync();
  provider.answer = async () => {
    await client.call("PATCH", `/templates/${templateId}`, {
      // As the provider has it: a call without the status would edit it there.
      body: { components: [{ type: "BODY", text: "Corrigido" }], providerStatus: "APPROVED" },
    });
    return Response.json({ data: [listed("1", "a")] });
  };
  assertEquals(countsOf(await world.sync()), { ...nothing, unchanged: 1 });
  const [stored] = await world.stored();
  assertEquals(stored?.components[0].text, "Corrigido");
});

Deno.test("a template made here is linked by name and language instead of doubled", async () => {
  await using world = await createWorld();
  const { client, provider, workspaceId, instanceId } = world;
  const draft = {
    language: "pt_BR",
    parameterFormat: "POSITIONAL",
    components: [{ type: "BODY", text: "Rascunho" }],
  };
  const own = await client.create("/templates", { ...draft, instanceId, name: "a" });
  const shared = await client.create("/templates", { ...draft, workspaceId, name: "b" });
  const other = await client.create("/templates", { ...draft, instanceId, name: "c" });
  provider.templates = [
    listed("1", "a"),
    listed("2", "b"),
    listed("3", "c", { language: "en_US" }),
  ];
  const answer = await world.sync();
  assertEquals(countsOf(answer), { ...nothing, created: 1, updated: 2 });
  const ids = answer.body.items.map((item: Body) => item.templateId);
  assertEquals(ids.slice(0, 2), [own.templateId, shared.templateId]);
  const record = await client.call("GET", `/templates/${shared.templateId}`);
  assertEquals([record.body.instanceId, record.body.providerTemplateId], [null, "2"]);
  assertEquals(record.body.components, [{ type: "BODY", text: "Olá {{1}}" }]);
  const untouched = await client.call("GET", `/templates/${other.templateId}`);
  assertEquals(untouched.body.providerTemplateId, null);
  assertEquals(countsOf(await world.sync()), { ...nothing, unchanged: 3 });
});

Deno.test("two instances of one account share what the workspace has, and leave each other's alone", async () => {
  await using world = await createWorld();
  const { client, provider, workspaceId } = world;
  const elsewhere = await createOfficialInstance(client, workspaceId, {
    ...officialConfig(provider.baseUrl),
    wabaId: "777",
  });
  provider.templates = [listed("1", "a")];
  await world.sync();
  provider.templates = [listed("5", "a")];
  const path = `/instances/${elsewhere}/templates/sync`;
  const answer = await client.call("POST", path);
  assertEquals(countsOf(answer), { ...nothing, created: 1 });
  assertEquals((await world.stored()).map((one) => [one.instanceId, one.providerTemplateId]), [
    [world.instanceId, "1"],
    [elsewhere, "5"],
  ]);
});

Deno.test("sample files, which the provider signs anew each time, change nothing", async () => {
  await using world = await createWorld();
  const { provider } = world;
  const image = (signature: string): Record<string, unknown> =>
    listed("1", "a", {
      components: [
        {
          type: "HEADER",
          format: "IMAGE",
          example: { header_handle: [`https://scontent.example/?s=${signature}`] },
        },
        { type: "BODY", text: "Olá {{1}}", example: { body_text: [["Ana"]] } },
      ],
    });
  provider.templates = [image("1")];
  await world.sync();
  provider.templates = [image("2")];
  assertEquals(countsOf(await world.sync()), { ...nothing, unchanged: 1 });
  const [stored] = await world.stored();
  assertEquals(stored.components[0], { type: "HEADER", format: "IMAGE", example: {} });
  assertEquals(stored.components[1].example, { body_text: [["Ana"]] });
});

Deno.test("a format that the provider does not tell is read from the wording", async () => {
  await using world = await createWorld();
  const body = (text: string): Record<string, unknown> => ({
    components: [{ type: "BODY", text }],
    parameter_format: undefined,
  });
  world.provider.templates = [
    listed("1", "a", body("{{1}} {{2}}")),
    listed("2", "b", body("{{nome}}")),
    listed("3", "c", { ...body("x"), parameter_format: "named" }),
  ];
  await world.sync();
  const formats = (await world.stored()).map((one) => [one.name, one.parameterFormat]);
  assertEquals(formats.sort(), [["a", "POSITIONAL"], ["b", "NAMED"], ["c", "NAMED"]]);
});

Deno.test("a gateway and an account without wabaId have nothing to sync", async () => {
  await using world = await createWorld();
  const { client, workspaceId } = world;
  const { wabaId: _, ...bare } = officialConfig(world.provider.baseUrl);
  const gateway = await createInstance(client, workspaceId);
  const without = await createOfficialInstance(client, workspaceId, bare);
  for (const instanceId of [gateway, without]) {
    const answer = await client.call("POST", `/instances/${instanceId}/templates/sync`);
    assertEquals([answer.status, answer.body.error], [409, "template_sync_not_available"]);
  }
  for (const unknown of ["42", "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11"]) {
    const answer = await client.call("POST", `/instances/${unknown}/templates/sync`);
    assertEquals([answer.status, answer.body.error], [404, "Instance not found"]);
  }
  assertEquals(world.provider.requests.length, 0);
});

Deno.test("a list that cannot be read whole changes nothing, and the answer says why without a secret", async () => {
  await using world = await createWorld();
  const { provider } = world;
  provider.templates = [listed("1", "a"), listed("2", "b"), listed("3", "c")];
  await world.sync();
  const before = await world.stored();
  const failOnSecondPage = (respond: () => Response) => (url: URL): Response =>
    url.searchParams.has("after") ? respond() : Response.json({
      data: [listed("1", "a", { status: "PAUSED" })],
      paging: { cursors: { after: "x" }, next: "https://elsewhere.example/" },
    });
  const expired = { message: "Session of secret-access-token expired", code: 190 };
  const page = (body: unknown) => (): Response => Response.json(body);
  const endless = page({
    data: [],
    paging: { cursors: { after: "x" }, next: "https://n.example" },
  });
  const cases: [TemplateProvider["answer"], string][] = [
    [page({ error: expired }), "190"],
    [failOnSecondPage(() => Response.json({ error: expired }, { status: 401 })), "190"],
    [failOnSecondPage(() => new Response("no", { status: 500 })), "http_500"],
    [() => new Response(null, { status: 302, headers: { location: "/elsewhere" } }), "http_302"],
    [() => new Response("<html>"), "malformed_answer"],
    [page({ data: [{ name: "a" }] }), "malformed_answer"],
    [page({ data: [], paging: { next: "https://n.example" } }), "malformed_answer"],
    [endless, "malformed_answer"],
  ];
  for (const [answerOf, code] of cases) {
    provider.answer = answerOf;
    const answer = await world.sync();
    assertEquals([answer.status, answer.body.error], [502, "provider_template_list_failed"], code);
    assertEquals(answer.body.details.code, code, answer.text);
    assert(!answer.text.includes("secret-"), answer.text);
  }
  assertEquals(await world.stored(), before);
});

Deno.test("a provider that is away or silent is told within the time-out", async () => {
  await using world = await createWorld();
  const { client, workspaceId } = world;
  const away = await createOfficialInstance(
    client,
    workspaceId,
    officialConfig(findClosedBaseUrl()),
  );
  const unreachable = await client.call("POST", `/instances/${away}/templates/sync`);
  assertEquals([unreachable.status, unreachable.body.details.code], [502, "provider_unreachable"]);
  const isOver = Promise.withResolvers<Response>();
  const providerTimeoutMs = 20_123;
  using timeouts = holdTimers(providerTimeoutMs);
  await using impatient = await createWorld({ providerTimeoutMs });
  impatient.provider.answer = () => {
    timeouts.end();
    return isOver.promise;
  };
  const silent = await impatient.sync();
  isOver.resolve(new Response());
  assertEquals([silent.status, silent.body.details.code], [502, "timed_out"]);
});

Deno.test("pages without end are given up", async () => {
  await using world = await createWorld();
  let page = 0;
  world.provider.answer = () =>
    Response.json({
      data: [],
      paging: { cursors: { after: `${++page}` }, next: "https://n.example" },
    });
  const answer = await world.sync();
  assertEquals([answer.status, answer.body.details.code], [502, "too_many_templates"]);
  assertEquals(world.provider.requests.length, 100);
});

Deno.test("the same Idempotency-Key syncs once and asks the provider once", async () => {
  await using world = await createWorld();
  const { provider } = world;
  provider.templates = [listed("1", "a")];
  const key = { "Idempotency-Key": "sync-1" };
  const first = await world.sync(key);
  provider.templates = [];
  const again = await world.sync(key);
  assertEquals([again.status, again.body], [200, first.body]);
  assertEquals(again.headers.get("Idempotent-Replayed"), "true");
  assertEquals(provider.requests.length, 1);
  assertEquals(countsOf(await world.sync()), { ...nothing, deleted: 1 });
});

Deno.test("simultaneous syncs of an instance go one after the other and store each template once", async () => {
  await using world = await createWorld();
  const { client, provider, instanceId } = world;
  provider.pageSize = 50;
  provider.templates = Array.from({ length: 40 }, (_, n) => listed(`${n}`, `t${n}`));
  const syncs: Promise<AdminAnswer>[] = [];
  await client.database.connect({ role: "superuser", max: 1 }).begin(async (holder) => {
    await holder`select from messaging.instances where id = ${instanceId} for no key update`;
    syncs.push(...Array.from({ length: 6 }, () => world.sync()));
    await waitUntil(async () => {
      const [row] = await client.database.admin`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.["count"] === 6;
    }, { what: "that every sync waits for its turn" });
  });
  const answers = await Promise.all(syncs);
  for (const answer of answers) assertEquals(answer.status, 200, answer.text);
  assertEquals(answers.map(({ body }) => body.created).sort(), [0, 0, 0, 0, 0, 40]);
  assertEquals(answers.map(({ body }) => body.unchanged).sort(), [0, 40, 40, 40, 40, 40]);
  assertEquals((await world.stored()).length, 40);
});
