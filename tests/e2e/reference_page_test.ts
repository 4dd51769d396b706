import { viewerScript, viewerStyle } from "../../functions/api-docs/viewer.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/local_stack.ts";

Deno.test("the local stack serves the reference page with all that it loads, from this machine alone", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({
    dataDir: folder.path,
    databaseUrl: database.url,
    usesDataApi: false,
  });
  const read = async (path: string): Promise<string> => {
    const response = await fetch(new URL(path, stack.origin));
    assertEquals(response.status, 200, path);
    return await response.text();
  };
  const page = await read("/functions/v1/api-docs");
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "")
    .filter((address) => !address.startsWith("data:"));
  assertEquals(addresses.map((address) => new URL(address, stack.origin).origin), [
    stack.origin,
    stack.origin,
    stack.origin,
  ]);
  for (const { name } of [viewerScript, viewerStyle]) {
    const address = addresses.find((candidate) => candidate.endsWith(name)) ?? "";
    assert((await read(address)).length > 100_000, name);
  }
  const document = JSON.parse(await read("/functions/v1/api-docs/openapi.json"));
  assertEquals(document.openapi, "3.1.0");
});
