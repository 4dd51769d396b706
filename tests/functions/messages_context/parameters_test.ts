import { assertEquals, assertMatch } from "../../support/assert.ts";
import {
  type ContextClient,
  createContextClient,
  issuePaths,
  type Query,
} from "./context_client.ts";

async function assertInvalid(client: ContextClient, query: Query, paths: string[]): Promise<void> {
  const answer = await client.read(query);
  assertEquals([answer.status, answer.body.error, issuePaths(answer)], [
    400,
    "invalid_request",
    paths,
  ], JSON.stringify(query));
}

Deno.test("every fault of a query is told at once, in the parameters' names", async () => {
  await using client = await createContextClient();
  const answer = await client.request(
    "/messages-context?limit=0&fromMe=1&attachments=no&format=xml&includeMeta=",
    { headers: { "X-Client-Token": client.tenant.token } },
  );
  assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
  assertEquals(issuePaths(answer), [
    ...["attachments", "end", "format", "fromMe", "includeMeta", "instanceId", "limit", "phone"],
    "start",
  ]);
  for (const { path, message } of answer.body.issues) {
    if (path === "phone") assertEquals(message, "is required, or contactId, or userId");
    if (["start", "end"].includes(path)) assertEquals(message, "is required");
  }
  assertEquals(client.rpcNames, ["authenticate_client"]);
});

Deno.test("a phone that is not 8 to 15 digits is invalid_phone", async () => {
  await using client = await createContextClient();
  for (const phone of ["+5511988887777", "55 11 98888-7777", "5511988", "5511988887777000", ""]) {
    const answer = await client.read({ phone });
    assertEquals([answer.status, answer.body.error], [400, "invalid_phone"], phone);
    assertMatch(answer.body.message, /sanitize-phone-number/);
  }
  await assertInvalid(client, { connectedPhone: "+551140001234" }, ["connectedPhone"]);
});

Deno.test("booleans are true or false and nothing else", async () => {
  await using client = await createContextClient();
  for (const name of ["fromMe", "attachments", "includeMeta"]) {
    for (const value of ["1", "0", "yes", "TRUE", "False", "null", " true", ""]) {
      await assertInvalid(client, { [name]: value }, [name]);
    }
    for (const value of ["true", "false"]) {
      assertEquals((await client.read({ [name]: value })).status, 200);
    }
  }
});

Deno.test("limit is a whole number from 1 to 1000", async () => {
  await using client = await createContextClient();
  for (const limit of ["0", "1001", "-1", "1.5", "1e2", "0x10", "ten", " 5", "", "9".repeat(30)]) {
    await assertInvalid(client, { limit }, ["limit"]);
  }
  for (const limit of ["1", "1000"]) assertEquals((await client.read({ limit })).status, 200);
});

Deno.test("format is conversation or raw", async () => {
  await using client = await createContextClient();
  for (const format of ["RAW", "json", ""]) await assertInvalid(client, { format }, ["format"]);
  assertEquals((await client.read({ format: "conversation" })).body.conversation, []);
  assertEquals((await client.read({ format: "raw" })).body.messages, []);
});

Deno.test("start and end are dates that exist", async () => {
  await using client = await createContextClient();
  const wrong = [
    ...["2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-3-1", "01/03/2026"],
    ...["2026-03-01T00:00:00Z", "20260301", "today", "", "0000-01-01", "1969-12-31", "9999-12-31"],
  ];
  for (const day of wrong) {
    await assertInvalid(client, { start: day }, ["start"]);
    await assertInvalid(client, { end: day }, ["end"]);
  }
  assertEquals((await client.read({ start: "2028-02-29", end: "2028-02-29" })).status, 200);
});

Deno.test("a period runs forward over at most 366 days, both ends counted", async () => {
  await using client = await createContextClient();
  for (
    const [start, end] of [
      ["2026-03-02", "2026-03-01"],
      ["2024-01-01", "2025-01-01"],
      ["2020-01-01", "2026-01-01"],
    ]
  ) await assertInvalid(client, { start, end }, ["end"]);
  const leapYear = await client.read({ start: "2024-01-01", end: "2024-12-31" });
  assertEquals(leapYear.body.period, { start: "2024-01-01", end: "2024-12-31" });
});

Deno.test("unknown parameters are ignored", async () => {
  await using client = await createContextClient();
  assertEquals((await client.read({ page: "2" })).status, 200);
});
