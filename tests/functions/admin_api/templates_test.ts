import { assertEquals } from "../../support/assert.ts";
import {
  type AdminAnswer,
  type Body,
  countRows,
  createAdminClient,
  createInstance,
  createWorkspace,
  issuePaths,
} from "./admin_client.ts";

const unknownId = "3f6c1f0e-57a5-4c1c-9d3b-7a3d5f3f1a11";

const components = [
  { type: "HEADER", format: "TEXT", text: "Olá {{1}}", example: { header_text: ["Ana"] } },
  { type: "BODY", text: "Sua consulta é {{2}}.", example: { body_text: [["amanhã"]] } },
  { type: "FOOTER", text: "Clínica" },
  { type: "BUTTONS", buttons: [{ type: "URL", text: "Ver", url: "https://a.example/{{1}}" }] },
];

const request = { name: "lembrete", language: "pt_BR", parameterFormat: "POSITIONAL", components };

Deno.test("a template is a workspace's or an instance's, whose workspace it then has", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const instanceId = await createInstance(client, workspaceId);
  const owners = [
    [{ workspaceId }, { workspaceId, instanceId: null }],
    [{ instanceId }, { workspaceId, instanceId }],
    [{ workspaceId, instanceId }, { workspaceId, instanceId }],
  ] as const;
  const ids: string[] = [];
  for (const [owner, expected] of owners) {
    const created = await client.create("/templates", { ...request, ...owner });
    const { success: _, templateId, createdAt: __, updatedAt: ___, ...record } = created;
    const unsynced = {
      ...{ category: null, providerStatus: null, providerTemplateId: null },
      ...{ categoryChange: null, quality: null, rejectedReason: null, disablesAt: null },
    };
    assertEquals(record, { ...request, ...unsynced, ...expected });
    assertEquals((await client.call("GET", `/templates/${templateId}`)).body, created);
    ids.push(templateId);
  }
  const list = async (query: string): Promise<string[]> =>
    (await client.call("GET", `/templates?${query}`)).body.items
      .map((item: Body) => item.templateId);
  assertEquals(await list(`workspaceId=${workspaceId}`), ids);
  assertEquals(await list(`instanceId=${instanceId}`), ids.slice(1));
});

Deno.test("a template's owner must exist, be given and agree with itself", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const workspaceId = await createWorkspace(client);
  const cases = [
    [{ workspaceId: unknownId }, 404, "workspace_not_found", []],
    [{ instanceId: unknownId }, 404, "Instance not found", []],
    [{ workspaceId, instanceId }, 400, "invalid_request", ["instanceId"]],
    [{}, 400, "invalid_request", ["workspaceId"]],
    [{ instanceId: null }, 400, "invalid_request", ["workspaceId"]],
  ] as const;
  for (const [owner, status, error, paths] of cases) {
    const answer = await client.call("POST", "/templates", { body: { ...request, ...owner } });
    assertEquals([answer.status, answer.body.error, issuePaths(answer)], [status, error, [
      ...paths,
    ]]);
  }
  assertEquals(await countRows(client, "message_templates"), 0);
});

Deno.test("a template is synchronised and let go of again, the rest staying as it was", async () => {
  await using client = await createAdminClient();
  const instanceId = await createInstance(client);
  const { templateId } = await client.create("/templates", { ...request, instanceId });
  const path = `/templates/${templateId}`;
  const synced = { providerStatus: "APPROVED", providerTemplateId: "5940" };
  const first = await client.call("PATCH", path, { body: synced });
  assertEquals(first.status, 200);
  const { providerStatus, providerTemplateId, name, components: kept } = first.body;
  assertEquals({ providerStatus, providerTemplateId, name, components: kept }, {
    ...synced,
    name: "lembrete",
    components,
  });
  const body = { providerTemplateId: null, components: [{ type: "BODY", text: "Oi" }] };
  const second = await client.call("PATCH", path, { body });
  assertEquals([second.body.providerStatus, second.body.providerTemplateId], ["APPROVED", null]);
  assertEquals(second.body.components, body.components);
});

const badComponents: readonly (readonly [unknown, readonly string[]])[] = [
  [[], ["components"]],
  ["BODY", ["components"]],
  [[{ type: "FOOTER", text: "x" }], ["components"]],
  [[{ type: "BODY" }], ["components.0.text"]],
  [[{ type: "BODY", text: "" }], ["components.0.text"]],
  [[{ type: "body", text: "x" }], ["components.0.type"]],
  [[{ type: "BODY", text: "x" }, { type: "BODY", text: "y" }], ["components.1.type"]],
  [[{ type: "BODY", text: "x" }, { type: "HEADER" }], ["components.1.format"]],
  [[{ type: "BODY", text: "x" }, { type: "HEADER", format: "TEXT" }], ["components.1.text"]],
  [[{ type: "BODY", text: "x" }, { type: "HEADER", format: "GIF" }], ["components.1.format"]],
  [[{ type: "BODY", text: "x" }, { type: "BUTTONS" }], ["components.1.buttons"]],
  [[{ type: "BODY", text: "x" }, { type: "BUTTONS", buttons: [{}] }], [
    "components.1.buttons.0.type",
  ]],
];

Deno.test("numbered and named placeholders are not mixed, nor of another format than the template's", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const create = (parameterFormat: string, body: string, header = "Aviso"): Promise<AdminAnswer> =>
    client.call("POST", "/templates", {
      body: {
        ...request,
        workspaceId,
        parameterFormat,
        components: [
          { type: "HEADER", format: "TEXT", text: header },
          { type: "BODY", text: body },
          { type: "BUTTONS", buttons: [{ type: "URL", text: "Ver", url: "https://a.com/{{1}}" }] },
        ],
      },
    });
  const wrong: [string, string, string?][] = [
    ["NAMED", "Oi {{1}} {{nome}}"],
    ["POSITIONAL", "Oi {{1}} {{nome}}"],
    ["POSITIONAL", "Oi {{nome}}"],
    ["NAMED", "Oi {{1}}"],
  ];
  for (const [format, body] of wrong) {
    const answer = await create(format, body);
    assertEquals([answer.status, issuePaths(answer)], [400, ["components.1.text"]], body);
  }
  const inHeader = await create("POSITIONAL", "Oi {{1}}", "Pedido {{pedido}}");
  assertEquals(issuePaths(inHeader), ["components.0.text"]);
  // A header's variable is called `header`, whatever stands in its braces.
  assertEquals((await create("NAMED", "Oi {{nome}}", "Pedido {{1}}")).status, 201);
  const named = await create("NAMED", "Oi {{nome}}", "Pedido {{pedido}}");
  assertEquals([named.status, (await create("POSITIONAL", "Oi {{1}}")).status], [201, 201]);
  const changed = await client.call("PATCH", `/templates/${named.body.templateId}`, {
    body: { components: [{ type: "BODY", text: "Oi {{nome}} {{1}}" }] },
  });
  assertEquals([changed.status, issuePaths(changed)], [400, ["components.0.text"]]);
});

Deno.test("a change does not mix placeholders with what stays of the template", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { templateId } = await client.create("/templates", { ...request, workspaceId });
  const change = (body: object): Promise<AdminAnswer> =>
    client.call("PATCH", `/templates/${templateId}`, { body });
  const named = [{ type: "BODY", text: "Oi {{nome}}" }];
  assertEquals(issuePaths(await change({ parameterFormat: "NAMED" })), ["components.1.text"]);
  assertEquals(issuePaths(await change({ components: named })), ["components.0.text"]);
  assertEquals((await change({ components: named, parameterFormat: "NAMED" })).status, 200);
  assertEquals((await change({ name: "aviso" })).status, 200);
});

Deno.test("components that no channel could show are refused, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { templateId } = await client.create("/templates", { ...request, workspaceId });
  for (const [bad, paths] of badComponents) {
    const body = { ...request, workspaceId, components: bad };
    const created = await client.call("POST", "/templates", { body });
    assertEquals([created.status, issuePaths(created)], [400, [...paths]], JSON.stringify(bad));
    const changed = await client.call("PATCH", `/templates/${templateId}`, {
      body: { components: bad },
    });
    assertEquals([changed.status, issuePaths(changed)], [400, [...paths]], JSON.stringify(bad));
  }
  const faults = { ...request, workspaceId, language: "portuguese", parameterFormat: "MIXED" };
  const answer = await client.call("POST", "/templates", {
    body: { ...faults, providerStatus: "approved" },
  });
  assertEquals(issuePaths(answer), ["language", "parameterFormat", "providerStatus"]);
  const [row] = await client.database.admin`select components from messaging.message_templates`;
  assertEquals(row?.["components"], components);
  assertEquals(await countRows(client, "message_templates"), 1);
});

Deno.test("braces that nothing can fill are refused when a template is made or changed, and where texts stand fixed", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const body = { type: "BODY", text: "Oi {{nome}}" };
  const button = (members: object): object => ({
    type: "BUTTONS",
    buttons: [{ type: "URL", text: "Ver", url: "https://a.example/{{1}}", ...members }],
  });
  const cases: readonly (readonly [components: readonly object[], path: string])[] = [
    ...["{{nome-cliente}}", "{{nome cliente}}", "{{nome.cliente}}", "{{nome}", "{{{nome}}}", "{{}}"]
      .map((braces) => [[{ type: "BODY", text: `Oi ${braces}` }], "components.0.text"] as const),
    [[body, { type: "HEADER", format: "TEXT", text: "{{a-b}}" }], "components.1.text"],
    [[body, { type: "FOOTER", text: "Loja {{nome}}" }], "components.1.text"],
    [[body, { type: "FOOTER", text: "Loja {{1}}" }], "components.1.text"],
    [[body, button({ url: "https://a.example/{{a-b}}" })], "components.1.buttons.0.url"],
    [[body, button({ text: "{{nome}}" })], "components.1.buttons.0.text"],
    [[body, button({ phone_number: "{{1}}" })], "components.1.buttons.0.phone_number"],
  ];
  const named = { ...request, workspaceId, parameterFormat: "NAMED" };
  const { templateId } = await client.create("/templates", { ...named, components: [body] });
  for (const [refused, path] of cases) {
    const calls = [
      await client.call("POST", "/templates", {
        body: { ...named, name: "outro", components: refused },
      }),
      await client.call("PATCH", `/templates/${templateId}`, { body: { components: refused } }),
    ];
    for (const answer of calls) {
      assertEquals(
        [answer.status, issuePaths(answer)],
        [400, [path]],
        JSON.stringify([refused, answer.body]),
      );
    }
  }
  assertEquals(await countRows(client, "message_templates"), 1);
});
