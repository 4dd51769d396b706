import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { join } from "node:path";
import { installNpmPackage } from "../../supabase/tools/npm_package.ts";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startTestServer } from "../support/doubles/test_server.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

/** What of the protocol's own conformance suite is for a server of tools, without sessions. */
const scenarios = ["server-initialize", "ping", "tools-list"];
const nodeVersion = "24.21.0";

Deno.test("the started stack prints how AI clients get its tools, and a tool called so sends once", async (t) => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const url = `${stack.origin}/functions/v1/mcp`;
  const [, token = ""] = /^ {2}Token +(mia_\S+)$/m.exec(stack.output()) ?? [];
  const header = `X-Client-Token: ${token}`;
  assert(stack.output().includes(`mcp add --transport http messaging ${url} --header '${header}'`));
  const [, vsCode = "{}"] = /^code --add-mcp '(.+)'$/m.exec(stack.output()) ?? [];
  const [, cursor = "{}"] = /^Cursor, in \S+: (.+)$/m.exec(stack.output()) ?? [];
  const server = { url, headers: { "X-Client-Token": token } };
  assertEquals(JSON.parse(vsCode), { name: "messaging", type: "http", ...server });
  assertEquals(JSON.parse(cursor), { mcpServers: { messaging: server } });

  const phone = "5511944443333";
  const written = await stack.call({ instanceId: "demo", token }, "contacts-api/create", {
    ...{ instanceId: "demo", phone, name: "Ana" },
  });
  assertEquals(written.status, 200);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: server.headers } }),
  );
  try {
    const call = { name: "send_message", arguments: { phone, message: "Oi", intent: "one" } };
    const [first, second] = [await client.callTool(call), await client.callTool(call)];
    assertMatch(JSON.stringify(first.structuredContent), /"status":"sent"/);
    const idOf = (result: typeof first): unknown =>
      (result.structuredContent as { messageId?: string } | undefined)?.messageId;
    assertEquals(idOf(second), idOf(first));
    assertEquals((await stack.readSimulator(`messages?to=${phone}`)).length, 1);
  } finally {
    await client.close();
  }

  const suite = await installSuite();
  await t.step({
    name: `the protocol's conformance suite passes${
      "missing" in suite ? ` (skipped: ${suite.missing})` : ""
    }`,
    ignore: "missing" in suite,
    fn: async () => {
      const { node, program } = suite as Suite;
      for (const scenario of scenarios) await conform({ node, program }, { url, token, scenario });
    },
  });
});

interface Suite {
  readonly node: string;
  readonly program: string;
}

/** The suite, which needs Node 22 or newer. */
async function installSuite(): Promise<Suite | { readonly missing: string }> {
  const arch = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch];
  const [node, suite] = await Promise.all([
    installNpmPackage(`node-${Deno.build.os}-${arch}@${nodeVersion}`),
    installNpmPackage("@modelcontextprotocol/conformance@0.1.16"),
  ]);
  if ("failure" in node) return { missing: "Node 24 does not install" };
  if ("failure" in suite) return { missing: "the suite does not install" };
  const name = "@modelcontextprotocol/conformance/dist/index.js";
  return { node: join(node.folder, "node"), program: join(suite.folder, "..", name) };
}

/** Runs a scenario. The suite has no token: what is between adds it. @throws {Error} where a check fails. */
async function conform(
  { node, program }: Suite,
  { url, token, scenario }: { url: string; token: string; scenario: string },
): Promise<void> {
  await using relay = startTestServer(async (request) => {
    const headers = new Headers(request.headers);
    headers.delete("host");
    headers.set("x-client-token", token);
    const body = request.method === "POST" ? await request.arrayBuffer() : null;
    return await fetch(url, { method: request.method, headers, body });
  });
  const { success, stdout, stderr } = await new Deno.Command(node, {
    args: [program, "server", "--url", `${relay.origin}/mcp`, "--scenario", scenario],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const [said, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert(success && /Passed: [1-9]/.test(said ?? ""), `${scenario}: ${said}${errors}`);
}
