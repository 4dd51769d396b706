import { assert, assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { plain } from "../../unit/templates/submission/rule_cases.ts";
import {
  type AdminAnswer,
  type AdminClient,
  type Body,
  countRows,
  createAdminClient,
  createInstance,
  createWorkspace,
} from "./admin_client.ts";
import {
  type AccountTemplate,
  loseAnswer,
  startTemplateAccount,
  type TemplateAccountDouble,
} from "./template_account_double.ts";
import { createOfficialInstance, officialConfig } from "./template_provider.ts";

interface World extends AsyncDisposable {
  readonly client: AdminClient;
  readonly account: TemplateAccountDouble;
  readonly workspaceId: string;
  readonly instanceId: string;
  /** POST /templates with `submit: true`. */
  submit(changes?: object, headers?: Record<string, string>): Promise<AdminAnswer>;
  call(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
}

async function createWorld(config: object = {}): Promise<World> {
  await using cleanup = new AsyncDisposableStack();
  const client = cleanup.use(await createAdminClient());
  const account = cleanup.use(startTemplateAccount());
  const workspaceId = await createWorkspace(client);
  const instanceId = await createOfficialInstance(client, workspaceId, {
    ...officialConfig(account.baseUrl),
    appId: "4711",
    ...config,
  });
  const keep = cleanup.move();
  return {
    client,
    account,
    workspaceId,
    instanceId,
    submit: (changes = {}, headers = {}) =>
      client.call("POST", "/templates", {
        body: { ...plain, instanceId, submit: true, ...changes },
        headers,
      }),
    call: (method, path, body) => client.call(method, path, { body }),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

const names = ({ templates }: TemplateAccountDouble): string[] =>
  templates.map(({ name, language }) => `${name} ${language}`);

Deno.test("a template is created at the provider, and what it answers is kept", async () => {
  await using world = await createWorld();
  const { account, client } = world;
  account.givenCategory = "MARKETING";
  const { status, body } = await world.submit();
  assertEquals(status, 201);
  const { providerStatus, providerTemplateId, category, categoryChanged, limit } = body;
  assertEquals({ providerStatus, providerTemplateId, category, categoryChanged, limit }, {
    providerStatus: "PENDING",
    providerTemplateId: "5001",
    category: "MARKETING",
    categoryChanged: true,
    limit: { used: 13, total: 250 },
  });
  const [created] = account.templates;
  assertEquals([created?.name, created?.components], [plain.name, plain.components]);
  const [post] = account.writes();
  assertEquals(post?.headers.get("authorization"), "Bearer secret-access-token");
  const stored = await client.call("GET", `/templates/${body.templateId}`);
  assertEquals(stored.body.category, "MARKETING");
});

Deno.test("what the provider refuses by rule or by its account is 400 before anything is called or stored", async () => {
  await using world = await createWorld();
  const { account, client } = world;
  const wrong = [{ type: "BODY", text: "Seu pedido {{1}}", example: { body_text: [["1"]] } }];
  const refused = await world.submit({ components: wrong });
  assertEquals([refused.status, refused.body.issues.length, account.calls.length], [400, 2, 0]);
  account.limit = { used: 250, total: 250 };
  const full = await world.submit();
  assertEquals([full.status, full.body.issues[0].path], [400, "name"]);
  account.limit = { used: 1, total: 250 };
  account.templates = [{
    ...{ id: "1", name: plain.name, language: "pt_BR", status: "APPROVED", category: "UTILITY" },
    components: [],
  }];
  const taken = await world.submit();
  assertEquals([taken.status, taken.body.issues[0].path], [400, "language"]);
  assertEquals([account.writes().length, await countRows(client, "message_templates")], [0, 0]);
});

Deno.test("a repeated submission is one template, by key and by id", async () => {
  await using world = await createWorld();
  const { account, client } = world;
  const key = { "Idempotency-Key": "k1" };
  const first = await world.submit({}, key);
  const again = await world.submit({}, key);
  assertEquals([again.status, again.body, again.headers.get("idempotent-replayed")], [
    201,
    first.body,
    "true",
  ]);
  const third = await world.call("POST", `/templates/${first.body.templateId}/submit`, {});
  assertEquals([third.status, third.body], [200, first.body]);
  assertEquals([names(account), account.writes().length], [["aviso pt_BR"], 1]);
  assertEquals(await countRows(client, "message_templates"), 1);
});

Deno.test("two submissions at the same time make one template, and one of them is told to wait", async () => {
  await using world = await createWorld();
  const { account, client, instanceId } = world;
  const [{ templateId }, other] = [
    await client.create("/templates", { ...plain, instanceId }),
    await client.create("/templates", { ...plain, instanceId }),
  ];
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  account.hold = async ({ method }) => {
    if (method !== "POST") return;
    reached.resolve();
    await release.promise;
  };
  const first = world.call("POST", `/templates/${templateId}/submit`, {});
  await reached.promise;
  for (const id of [templateId, other.templateId]) {
    const { status, body, headers } = await world.call("POST", `/templates/${id}/submit`, {});
    assertEquals([status, body.error], [409, "template_call_in_progress"]);
    assertEquals(headers.get("retry-after"), "1");
  }
  release.resolve();
  assertEquals((await first).status, 200);
  const late = await world.call("POST", `/templates/${other.templateId}/submit`, {});
  assertEquals([late.status, late.body.issues[0].path], [400, "language"]);
  assertEquals(account.writes().length, 1);
});

Deno.test("a lost answer is looked up at once, and the template is taken for the one that was submitted", async () => {
  await using world = await createWorld();
  const { account } = world;
  account.spoil = ({ method }) =>
    method === "POST" ? { isDone: true, answer: loseAnswer() } : undefined;
  const { status, body } = await world.submit();
  assertEquals([status, body.providerTemplateId, body.categoryChanged], [201, "5001", false]);
  assertEquals(account.writes().length, 1);
});

Deno.test("an outcome that cannot be looked up stays open, and the repeated call looks before it submits", async () => {
  for (const isDone of [true, false]) {
    await using world = await createWorld();
    const { account, client } = world;
    const key = { "Idempotency-Key": "k1" };
    let isPosted = false;
    account.spoil = ({ method }) => {
      const isLost = method === "POST" || isPosted;
      isPosted ||= method === "POST";
      return isLost ? { isDone: isDone && method === "POST", answer: loseAnswer() } : undefined;
    };
    const unknown = await world.submit({}, key);
    assertEquals([unknown.status, unknown.body.error], [504, "template_outcome_unknown"]);
    account.spoil = undefined;
    const again = await world.submit({}, key);
    assertEquals([again.status, again.body.providerStatus], [201, "PENDING"]);
    assertEquals(again.body.templateId, unknown.body.templateId);
    assertEquals([names(account), account.writes().length], [["aviso pt_BR"], isDone ? 1 : 2]);
    assertEquals(await countRows(client, "message_templates"), 1);
  }
});

Deno.test("a refusal of the provider is 502 with its code and words, and the template can be submitted later", async () => {
  await using world = await createWorld();
  const { account } = world;
  account.spoil = ({ method }) =>
    method === "POST"
      ? {
        isDone: false,
        answer: Response.json({
          error: {
            ...{ message: "Invalid parameter", code: 100, error_subcode: 2388293 },
            ...{ error_user_title: "Too many variables", error_user_msg: "Add words" },
          },
        }, { status: 400 }),
      }
      : undefined;
  const { status, body } = await world.submit();
  assertEquals([status, body.error, body.details], [502, "provider_template_failed", {
    code: "100",
    subcode: 2388293,
    message: "Too many variables: Add words",
  }]);
  account.spoil = undefined;
  const later = await world.call("POST", `/templates/${body.templateId}/submit`, {});
  assertEquals([later.status, later.body.providerStatus], [200, "PENDING"]);
});

Deno.test("only an account takes templates: not a gateway's instance, nor one without its account's id", async () => {
  await using world = await createWorld({ wabaId: undefined });
  const refused = await world.submit();
  assertEquals([refused.status, refused.body.error], [409, "template_submission_not_available"]);
  const gateway = await createInstance(world.client, world.workspaceId);
  const other = await world.submit({ instanceId: gateway });
  assertEquals([other.status, other.body.error], [409, "template_submission_not_available"]);
  assertEquals(await countRows(world.client, "message_templates"), 0);
});

Deno.test("a workspace's template is submitted for an instance that the call names", async () => {
  await using world = await createWorld();
  const { workspaceId, instanceId, client } = world;
  const { templateId } = await client.create("/templates", { ...plain, workspaceId });
  const unnamed = await world.call("POST", `/templates/${templateId}/submit`, {});
  assertEquals([unnamed.status, unnamed.body.issues[0].path], [400, "instanceId"]);
  const named = await world.call("POST", `/templates/${templateId}/submit`, { instanceId });
  assertEquals([named.status, named.body.instanceId, named.body.providerStatus], [
    200,
    null,
    "PENDING",
  ]);
});

Deno.test("a header's file is uploaded by the app, and the template names it by its handle", async () => {
  await using world = await createWorld();
  const { account } = world;
  await using files = startTestServer(() =>
    new Response(padded(heads.png, 1_000), { headers: { "content-type": "image/png" } })
  );
  const header = {
    type: "HEADER",
    format: "IMAGE",
    example: { mediaUrl: `${files.origin}/a.png` },
  };
  const components = [header, ...plain.components];
  const { status, body } = await world.submit({ components });
  assertEquals([status, body.providerStatus], [201, "PENDING"]);
  const [begun, bytes, created] = account.writes();
  assertEquals([begun?.path, begun?.query.get("file_type"), begun?.query.get("file_length")], [
    "/v26.0/4711/uploads",
    "image/png",
    "1000",
  ]);
  assertEquals([
    bytes?.path,
    bytes?.headers.get("authorization"),
    bytes?.headers.get("file_offset"),
  ], [
    "/v26.0/upload:abc",
    "OAuth secret-access-token",
    "0",
  ]);
  const [sent] = JSON.parse(created?.body ?? "{}").components;
  assert(sent.example.header_handle[0].startsWith("handle-"));
});

Deno.test("without an app, or for a file of another kind, no template is created", async () => {
  await using files = startTestServer(() =>
    new Response(padded(heads.png, 1_000), { headers: { "content-type": "image/png" } })
  );
  const header = (format: string): object => ({
    type: "HEADER",
    format,
    example: { mediaUrl: `${files.origin}/a.png` },
  });
  const without = await createWorld({ appId: undefined });
  await using _ = without;
  const refused = await without.submit({ components: [header("IMAGE"), ...plain.components] });
  assertEquals([refused.status, refused.body.error], [409, "template_submission_not_available"]);
  await using world = await createWorld();
  const wrong = await world.submit({ components: [header("VIDEO"), ...plain.components] });
  assertEquals([wrong.status, wrong.body.issues[0].path], [400, "components.0.example.mediaUrl"]);
  assertEquals([without.account.writes().length, world.account.writes().length], [0, 0]);
  assertEquals(await countRows(world.client, "message_templates"), 0);
});

async function approve(world: World): Promise<Body> {
  const { body } = await world.submit();
  world.account.templates = world.account.templates.map((one: AccountTemplate) => ({
    ...one,
    status: "APPROVED",
  }));
  await world.call("POST", `/instances/${world.instanceId}/templates/sync`);
  return body;
}

const reworded = [{ type: "BODY", text: "O seu pedido saiu hoje." }];

Deno.test("an approved template is edited once in 24 hours and ten times in 30 days, told before the call", async () => {
  await using world = await createWorld();
  const { account, client } = world;
  const { templateId } = await approve(world);
  const path = `/templates/${templateId}`;
  const edited = await world.call("PATCH", path, { components: reworded });
  assertEquals([edited.status, edited.body.components, edited.body.providerStatus], [
    200,
    reworded,
    "APPROVED",
  ]);
  assertEquals(account.templates[0]?.components, reworded);
  const same = await world.call("PATCH", path, { components: reworded });
  assertEquals(same.status, 200);
  const writes = account.writes().length;
  const early = await world.call("PATCH", path, { components: plain.components });
  assertEquals([early.status, early.body.error], [409, "template_edit_limit"]);
  assert(Date.parse(early.body.editableAt) > Date.now() + 86_000_000);
  assert(early.body.editableAt.endsWith("Z"));
  await client.database.admin`
    update messaging.message_templates
    set edited_at = array(
      select clock_timestamp() - interval '25 hours' - n * interval '1 hour'
      from generate_series(0, 9) as n
    )`;
  const often = await world.call("PATCH", path, { components: plain.components });
  assertEquals([often.status, often.body.error], [409, "template_edit_limit"]);
  assertEquals(account.writes().length, writes);
  await client.database.admin`
    update messaging.message_templates set edited_at = edited_at[1:9]`;
  assertEquals((await world.call("PATCH", path, { components: plain.components })).status, 200);
});

Deno.test("the category of an approved template stays, and what awaits its review is not edited", async () => {
  await using world = await createWorld();
  const { account } = world;
  const { body: { templateId } } = await world.submit();
  const path = `/templates/${templateId}`;
  const pending = await world.call("PATCH", path, { components: reworded });
  assertEquals([pending.status, pending.body.error], [409, "template_not_editable"]);
  account.templates = account.templates.map((one) => ({ ...one, status: "REJECTED" }));
  await world.call("POST", `/instances/${world.instanceId}/templates/sync`);
  const freed = await world.call("PATCH", path, { components: reworded, category: "MARKETING" });
  assertEquals([freed.status, freed.body.category, freed.body.providerStatus], [
    200,
    "MARKETING",
    "PENDING",
  ]);
  account.templates = account.templates.map((one) => ({ ...one, status: "APPROVED" }));
  await world.call("POST", `/instances/${world.instanceId}/templates/sync`);
  const fixed = await world.call("PATCH", path, { category: "UTILITY" });
  assertEquals([fixed.status, fixed.body.error], [409, "template_not_editable"]);
  const renamed = await world.call("PATCH", path, { name: "outro" });
  assertEquals([renamed.status, renamed.body.issues[0].path], [400, "name"]);
});

Deno.test("an edit whose outcome is not known is looked up before it is made again, and counts", async () => {
  await using world = await createWorld();
  const { account } = world;
  const { templateId } = await approve(world);
  const path = `/templates/${templateId}`;
  let isEdited = false;
  account.spoil = ({ method }) => {
    const isLost = method === "POST" || isEdited;
    isEdited ||= method === "POST";
    return isLost ? { isDone: method === "POST", answer: loseAnswer() } : undefined;
  };
  const unknown = await world.call("PATCH", path, { components: reworded });
  assertEquals([unknown.status, unknown.body.error], [504, "template_outcome_unknown"]);
  account.spoil = undefined;
  const writes = account.writes().length;
  for (const components of [plain.components, [{ type: "BODY", text: "Outro texto." }]]) {
    const limited = await world.call("PATCH", path, { components });
    assertEquals([limited.status, limited.body.error], [409, "template_edit_limit"]);
  }
  await world.client.database.admin`
    update messaging.message_templates set edited_at = '{}'`;
  const again = await world.call("PATCH", path, { components: reworded });
  assertEquals([again.status, again.body.components], [200, reworded]);
  assertEquals(account.writes().length, writes);
});

Deno.test("one language is deleted by its id, never all by their name", async () => {
  await using world = await createWorld();
  const { account } = world;
  const { body: { templateId } } = await world.submit();
  await world.submit({ language: "en_US" });
  const deleted = await world.call("DELETE", `/templates/${templateId}`);
  assertEquals([deleted.status, deleted.body.providerStatus], [200, "DELETED"]);
  assertEquals(names(account), ["aviso en_US"]);
  const call = account.writes().at(-1);
  assertEquals([call?.method, call?.query.get("name"), call?.query.get("hsm_id")], [
    "DELETE",
    "aviso",
    "5001",
  ]);
  const writes = account.writes().length;
  assertEquals((await world.call("DELETE", `/templates/${templateId}`)).status, 200);
  assertEquals(account.writes().length, writes);
  const taken = await world.submit();
  assertEquals([taken.status, taken.body.issues[0].path], [400, "name"]);
});

Deno.test("a deletion whose answer was lost is looked up, and a template that is nowhere is deleted here", async () => {
  await using world = await createWorld();
  const { account, client, instanceId } = world;
  const { body: { templateId } } = await world.submit();
  account.spoil = ({ method }) =>
    method === "DELETE" ? { isDone: true, answer: loseAnswer() } : undefined;
  const deleted = await world.call("DELETE", `/templates/${templateId}`);
  assertEquals([deleted.status, deleted.body.providerStatus], [200, "DELETED"]);
  const local = await client.create("/templates", { ...plain, name: "so_aqui", instanceId });
  const calls = account.calls.length;
  const gone = await world.call("DELETE", `/templates/${local.templateId}`);
  assertEquals([gone.status, gone.body.providerStatus, account.calls.length], [
    200,
    "DELETED",
    calls,
  ]);
});

Deno.test("a sync tells the limit, keeps reason and quality, and leaves out what the provider has made itself", async () => {
  await using world = await createWorld();
  const { account, instanceId, workspaceId } = world;
  const template = { ...plain, status: "REJECTED", parameter_format: "POSITIONAL" };
  account.templates = [
    { ...template, id: "1", rejected_reason: "SCAM", quality_score: { score: "RED" } },
    { ...template, id: "2", name: "direto", rejected_reason: "NONE" },
  ];
  account.generated = ["2"];
  const { status, body } = await world.call("POST", `/instances/${instanceId}/templates/sync`);
  assertEquals([status, body.created, body.limit], [200, 1, { used: 12, total: 250 }]);
  assertEquals(body.items.map((item: Body) => item.name), ["aviso"]);
  const { items } = (await world.call("GET", `/templates?workspaceId=${workspaceId}`)).body;
  assertEquals(items.map((item: Body) => [item.name, item.rejectedReason, item.quality]), [
    ["aviso", "SCAM", "RED"],
  ]);
});

Deno.test("a template whose button shows an order is created as one, and another is not", async () => {
  await using world = await createWorld();
  const order = { type: "ORDER_DETAILS", text: "Copy Pix code" };
  const pix = {
    ...{ type: "PAYMENT_REQUEST", text: "Copy Pix code" },
    payment_setting: { type: "pix_dynamic_code", pix_dynamic_code: { code: "000201" } },
  };
  for (const [name, button] of [["pedido", order], ["pix", pix]] as const) {
    const components = [...plain.components, { type: "BUTTONS", buttons: [button] }];
    const { status, body } = await world.submit({ name, components });
    assertEquals(status, 201, JSON.stringify(body));
  }
  const told = world.account.writes().map(({ body }) => {
    const { name, display_format, components } = JSON.parse(body);
    return [name, display_format ?? null, components[1].buttons[0]];
  });
  assertEquals(told, [["pedido", "ORDER_DETAILS", order], ["pix", null, pix]]);
});
