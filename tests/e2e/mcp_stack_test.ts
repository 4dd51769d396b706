import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

Deno.test("the started stack prints how AI clients get its tools, and a tool called so sends once", async () => {
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
});
