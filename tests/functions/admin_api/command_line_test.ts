import { createAdminApp } from "../../../functions/admin-api/app.ts";
import {
  type AdminAnswer,
  type AdminApi,
  AdminApiError,
  openAdminApi,
} from "../../../supabase/admin/admin_api.ts";
import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { formatTable } from "../../../supabase/admin/table.ts";
import { assert, assertEquals, assertFalse, assertMatch } from "../../support/assert.ts";
import {
  type MessagingStack,
  secretKey,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

const zapi = JSON.stringify({
  gatewayInstanceId: "CLI",
  token: "command-line-secret-token",
  webhookSecret: "command-line-webhook-secret-01",
});

Deno.test("an instance is set up and its token rotated from the command line, one line each", async () => {
  await using stack = await startWorld();
  const workspace =
    (await stack.json("workspaces", "create", "--name", "Minha empresa")).workspaceId;
  const created = await stack.json(
    ...["instances", "create", "--workspace", workspace, "--name", "Vendas", "--provider", "zapi"],
    ...["--provider-config", "@zapi.json", "--connected-phone", "5511977776666"],
    ...["--time-zone", "America/Sao_Paulo", "--business-id", "vendas"],
    ...["--send-window", '{"start":"00:00","end":"24:00","days":[1,2,3,4,5,6,7]}'],
    ...["--requests-per-minute", "null"],
  );
  assertEquals([created.businessInstanceId, created.requestsPerMinute], ["vendas", null]);
  const { instanceId } = created;
  const expiry = ["--expires-at", "2099-01-01T00:00:00Z"];
  const scopes = ["--scopes", "history, send"];
  const first = await stack.json(
    ...["tokens", "create", instanceId, "--label", "CRM", ...expiry, ...scopes],
  );
  const rotated = await stack.json("tokens", "rotate", instanceId, first.tokenId);
  assertEquals(rotated.expiresAt, first.expiresAt);
  assertEquals([first.scopes, rotated.scopes], [["send", "history"], ["send", "history"]]);
  const unknown = await stack.run("tokens", "create", instanceId, "--scopes", "admin");
  assertEquals([unknown.code, /scopes/.test(unknown.errors)], [1, true]);
  const send = (token: string): Promise<number> =>
    stack.stack.send({ ...emptyTenant, instanceId, token }, {
      phone: "5511987654321",
      messageType: "text",
      message: "Olá",
      queued: true,
      delayMessage: 60,
    }).then(({ status }) => status);
  assertEquals([await send(first.token), await send(rotated.token)], [401, 200]);
  const table = await stack.run("tokens", "list", instanceId);
  assertMatch(table.output, /^tokenId +label +lastUsedAt/);
  assertEquals(table.output.match(/CRM/g)?.length, 2);
  assertEquals(table.output.match(/ send, history$/gm)?.length, 2, table.output);
  const updated = await stack.json("instances", "update", instanceId, "--name", "Loja");
  assertEquals(updated.name, "Loja");
  const listed = await stack.json("instances", "list", "--workspace", workspace);
  assertEquals(listed.items.length, 1);
  const shown = (await stack.run("instances", "get", instanceId)).output;
  assertMatch(shown, /^name +Loja$/m);
  assertMatch(shown, /^sendWindow\.end +24:00$/m);
  assertMatch(shown, /^sendWindow\.days +1, 2, 3, 4, 5, 6, 7$/m);
  assertFalse(/[{}[\]"]/.test(shown), shown);
  const health = (await stack.run("health")).output;
  assertMatch(health, /^instances\.total +1$/m);
  assertFalse(/[{}[\]"]/.test(health), health);
});

Deno.test("queue status also lists what its provider refuses and what is disconnected", async () => {
  await using stack = await startWorld();
  assertEquals((await stack.run("queue", "status")).output, "None.\n");
  const refused = await stack.stack.createTenant();
  const lost = await stack.stack.createTenant();
  const byOperator = await stack.stack.createTenant();
  await stack.stack.admin`
    update messaging.dispatch set hold_until = now() + interval '5 minutes',
      hold_error = '{"code": "190"}' where instance_id = ${refused.instanceId}`;
  await stack.stack.admin`
    update messaging.dispatch set disconnected_until = 'infinity', disconnected_at = now(),
      disconnected_reason = 'Device left' where instance_id = ${lost.instanceId}`;
  await stack.run("queue", "hold", "--instance", byOperator.instanceId, "--reason", "manutenção");
  await stack.stack.admin`update messaging.metric_snapshots set fresh_until = '-infinity'`;
  const [held = "", stopped = ""] = (await stack.run("queue", "status")).output.split("\n\n");
  assertMatch(held, new RegExp(`${byOperator.instanceId}.*manutenção`));
  assertMatch(stopped, new RegExp(`${refused.instanceId}.* instance_held .*provider_refused +190`));
  assertMatch(stopped, new RegExp(`${lost.instanceId}.* disconnected .*Device left`));
  assertFalse(stopped.includes(byOperator.instanceId), "told once");
  const answer = await stack.json("queue", "status");
  assertEquals([answer.items.length, answer.stopped.length], [1, 2]);
});

Deno.test("an API error is shown field by field without credentials, with exit code 1", async () => {
  await using stack = await startWorld();
  const workspace = (await stack.json("workspaces", "create", "--name", "A")).workspaceId;
  const refused = await stack.run(
    ...["instances", "create", "--workspace", workspace, "--name", "x", "--provider", "zapi"],
    ...["--provider-config", zapi, "--connected-phone", "+55", "--time-zone", "Mars"],
  );
  assertEquals(refused.code, 1);
  assertMatch(refused.errors, /^invalid_request \(400\)/);
  assertMatch(refused.errors, /^ {2}connectedPhone: /m);
  assertFalse(`${refused.output}${refused.errors}`.includes("command-line-secret-token"));
  const noJson = await stack.run(
    "instances",
    "update",
    crypto.randomUUID(),
    "--provider-config",
    "{se",
  );
  assertEquals([noJson.code, noJson.errors], [1, "--provider-config is not JSON.\n"]);
  const stranger = await stack.run("workspaces", "get", crypto.randomUUID());
  assertMatch(stranger.errors, /^workspace_not_found \(404\)/);
});

Deno.test("a wrong key and a wrong address are reported in a sentence", async () => {
  await using stack = await startWorld();
  const wrongKey = await stack.runWith(
    "sb_secret_wrong_0000000000000000",
    stack.url,
    "workspaces",
    "list",
  );
  assertEquals(wrongKey.code, 1);
  assertMatch(wrongKey.errors, /^invalid_secret_key \(401\)/);
  const nobody = await stack.runWith(secretKey, "http://127.0.0.1:9", "workspaces", "list");
  assertEquals([nobody.code, /^No response from/.test(nobody.errors)], [1, true]);
});

Deno.test("an invalid address or key is reported without its value, with exit code 2", async () => {
  const cases: readonly (readonly [key: string, url: string, sentence: RegExp])[] = [
    [secretKey, "hidden.supabase.co", /^API_URL .*is not a valid URL/],
    [secretKey, "postgres://u:hidden@127.0.0.1/postgres", /^API_URL .*is not a valid URL/],
    [
      "sb_secret_hidden\n0123456789",
      "http://127.0.0.1:9",
      /^SUPABASE_SECRET_KEY is not a valid key/,
    ],
    ["sb_secret_hidden…", "http://127.0.0.1:9", /^SUPABASE_SECRET_KEY is not a valid key/],
  ];
  for (const [key, url, sentence] of cases) {
    const result = await runCommand(openAdminApi(url, () => Promise.resolve(key)), [
      "workspaces",
      "list",
    ]);
    assertEquals([result.code, result.output], [2, ""]);
    assertMatch(result.errors, sentence);
    assertEquals([result.errors.includes("hidden"), result.errors.split("\n").length], [false, 2]);
  }
});

Deno.test("responses of another service are reported in a sentence, and its redirects are not followed", async () => {
  let answer = (): Response => new Response("<html>");
  const paths: string[] = [];
  await using server = startTestServer(
    (request) => {
      paths.push(new URL(request.url).pathname);
      return answer();
    },
  );
  const origin = server.origin;
  const run = (...args: string[]): Promise<CommandResult> =>
    runCommand(openAdminApi(origin, () => Promise.resolve(secretKey)), args);
  const foreign: readonly (() => Response)[] = [
    () => new Response("<html>"),
    () => new Response("null"),
    () => Response.json({ hello: "stack" }),
    () => Response.json({ success: true, hello: "stack" }),
  ];
  for (answer of foreign) {
    for (const args of [["workspaces", "list"], ["credentials", "reseal"]]) {
      const { code, output, errors } = await run(...args);
      assertEquals([code, output], [1, ""]);
      assertMatch(errors, /^The response is not from admin-api, .*\n$/);
    }
  }
  answer = () => new Response(null, { status: 308, headers: { Location: `${origin}/elsewhere` } });
  assertMatch((await run("workspaces", "list")).errors, /^The API returned 308 /);
  assertFalse(paths.includes("/elsewhere"));
});

Deno.test("queues are held, listed and released from the command line, and neither is done to all by mistake", async () => {
  await using stack = await startWorld();
  const tenant = await stack.stack.createTenant();
  await stack.stack.createTenant();
  for (const verb of ["hold", "release"]) {
    const nothing = await stack.run("queue", verb);
    assertEquals([nothing.code, nothing.errors], [
      2,
      "error: give either --instance <id> or --all\n",
    ]);
    assertEquals((await stack.run("queue", verb, "--all", "--instance", "a")).code, 2);
  }
  const one = ["--instance", tenant.instanceId];
  assertEquals((await stack.json("queue", "hold", ...one, "--reason", "test")).instances, 1);
  assertEquals((await stack.json("queue", "hold", "--all")).instances, 2);
  assertEquals((await stack.json("queue", "status")).items.length, 2);
  assertMatch((await stack.run("queue", "status")).output, /^instanceId +name +heldAt/);
  assertEquals((await stack.json("queue", "release", ...one)).instances, 1);
  assertEquals((await stack.json("queue", "release", "--all")).instances, 1);
  assertEquals((await stack.run("queue", "status")).output, "None.\n");
});

Deno.test("what may have left is counted, listed in full as JSON, and settled in bulk from the command line", async () => {
  await using stack = await startWorld();
  const tenant = await stack.stack.createTenant();
  for (let count = 0; count < 3; count++) {
    await stack.stack.send(tenant, {
      ...{ phone: "5511987654321", messageType: "text", message: "Olá", delayMessage: 600 },
    });
  }
  await stack.stack.admin`update messaging.message_queue set scheduled_at = now()`;
  const since = new Date(Date.now() + 1_000).toISOString();
  const listed = await stack.json("queue", "may-have-left", "--since", since);
  assertEquals([listed.total, listed.items.length, listed.instances.length], [3, 3, 1]);
  const table = await stack.run("queue", "may-have-left", "--since", since);
  assertMatch(table.output, /^instanceId +name +waiting[^]*^total +3$/m);
  assertFalse(table.output.includes("5511987654321"));
  assertEquals((await stack.run("queue", "settle", "--since", since, "--as", "cancel")).code, 2);
  assertEquals((await stack.run("queue", "settle", "--all", "--since", since)).code, 2);
  const settled = await stack.json(
    ...["queue", "settle", "--all", "--since", since, "--as", "unconfirmed"],
  );
  assertEquals([settled.unconfirmed, settled.remaining], [3, 0]);
});

Deno.test("an unknown command exits with 2, help with 0 and an example", async () => {
  await using stack = await startWorld();
  assertEquals((await stack.run("workspaces", "paint")).code, 2);
  assertEquals((await stack.run("workspaces", "create")).code, 2);
  const help = await stack.run("tokens", "--help");
  assertEquals(help.code, 0);
  assertMatch(help.output, /Example:\n {2}deno task admin tokens create/);
});

Deno.test("a rotation whose last step fails shows the new token and reports that the old one is still valid", async () => {
  const api: AdminApi = {
    call: (method) =>
      method === "DELETE"
        ? Promise.reject(new AdminApiError("service_unavailable (503)"))
        : Promise.resolve({ success: true, tokenId: "new", token: "mia_shown_once" }),
  };
  const { code, output, errors } = await runCommand(api, ["tokens", "rotate", "i1", "former"]);
  assertEquals(code, 1);
  assertMatch(output, /^token +mia_shown_once$/m);
  assertMatch(errors, /old token is not revoked and is still valid/);
  assertMatch(errors, /tokens revoke i1 former\nservice_unavailable \(503\)\n$/);
});

Deno.test("resealing continues until nothing remains, and stops when another key responds", async () => {
  const answer = (keyId: string, resealed: number, remaining: number): AdminAnswer => ({
    success: true,
    keyId,
    resealed,
    remaining,
    unreadable: [],
  });
  const reseal = (answers: AdminAnswer[]): Promise<CommandResult> =>
    runCommand({ call: () => Promise.resolve(answers.shift() ?? {}) }, ["credentials", "reseal"]);
  const all = await reseal([answer("aaaaaaaa", 200, 1), answer("aaaaaaaa", 1, 0)]);
  assertEquals(all.code, 0, all.errors);
  assertMatch(all.output, /^keyId +aaaaaaaa\nresealed +201\nremaining +0$/m);
  const mixed = await reseal([answer("aaaaaaaa", 200, 1), answer("bbbbbbbb", 0, 0)]);
  assertEquals([mixed.code, mixed.output], [1, ""]);
  assertMatch(mixed.errors, /different keys responded \(aaaaaaaa, bbbbbbbb\)/);
  const foreign = await reseal([{ hello: "stack" }]);
  assertEquals([foreign.code, foreign.output], [1, ""]);
  assertMatch(foreign.errors, /^The response is not from admin-api, /);
});

Deno.test("a table aligns its columns, and says when it is empty", () => {
  const records = [{ id: "1", name: "São" }, { id: "22", name: null }];
  assertEquals(formatTable(records, ["id", "name"]), "id  name\n1   São\n22");
  assertEquals(formatTable([], ["id"]), "None.");
});

const emptyTenant = {
  workspaceId: "",
  tokenId: "",
  embedKey: "",
  businessInstanceId: null,
  gatewayInstanceId: null,
  connectedPhone: "",
};

interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

interface CommandWorld extends AsyncDisposable {
  readonly stack: MessagingStack;
  readonly url: string;
  run(...args: string[]): Promise<CommandResult>;
  runWith(key: string, url: string, ...args: string[]): Promise<CommandResult>;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  json(...args: string[]): Promise<any>;
}

async function runCommand(api: AdminApi, args: readonly string[]): Promise<CommandResult> {
  let output = "";
  let errors = "";
  const code = await runAdminCommand({
    api,
    print: (text) => output += text,
    printError: (text) => errors += text,
    readFile: (path) => Promise.resolve(path === "zapi.json" ? zapi : ""),
    readStdin: () => Promise.resolve(zapi),
  }, args);
  return { code, output, errors };
}

/** The command line against the real admin-api on a port of this machine. */
async function startWorld(): Promise<CommandWorld> {
  const stack = await startMessagingStack();
  const app = createAdminApp({
    ...stack.services,
    vault: testVault,
    secretKeys: { default: secretKey },
  });
  const server = startTestServer((request) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace("/functions/v1", "");
    return app.fetch(new Request(url, request));
  });
  const url = server.origin;
  const runWith: CommandWorld["runWith"] = (key, apiUrl, ...args) =>
    runCommand(openAdminApi(apiUrl, () => Promise.resolve(key)), args);
  const run: CommandWorld["run"] = (...args) => runWith(secretKey, url, ...args);
  return {
    stack,
    url,
    run,
    runWith,
    json: async (...args) => {
      const { code, output, errors } = await run(...args, "--json");
      assert(code === 0, errors);
      return JSON.parse(output);
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}
