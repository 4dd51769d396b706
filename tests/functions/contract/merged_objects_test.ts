/** Objects that calls add to, one after the other: bounded after each merge (decisions, section 3). */
import { assertEquals } from "../../support/assert.ts";
import { type ContractStack, startContractStack } from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";
import {
  demoInstanceId,
  demoInstanceRef,
  demoPhone,
} from "../../../shared/openapi/demo_fixtures.ts";

const thirtyKiB = "x".repeat(30 * 1024);
const limit = 64 * 1024;

async function post(
  { request }: ContractStack,
  slug: string,
  path: string,
  { token, ...members }: { readonly token: string } & Readonly<Record<string, unknown>>,
  // deno-lint-ignore no-explicit-any -- the answer is what these tests assert
): Promise<{ status: number; body: any }> {
  const response = await request(slug, `/${slug}${path}`, {
    method: "POST",
    headers: { "X-Client-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify({ instanceId: demoInstanceRef, phone: demoPhone, ...members }),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("customLabels hold at most 64 KiB after merging; what would exceed it is refused and changes nothing", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const save = (customLabels: unknown) =>
    post(contract, "contacts-api", "/update", { token, customLabels });
  assertEquals((await save({ a: thirtyKiB })).status, 200);
  assertEquals((await save({ b: thirtyKiB })).status, 200);
  // {"a":"…","b":"…"} and ,"c":"…" around what is left: exactly 64 KiB, and one byte more.
  const rest = limit - JSON.stringify({ a: thirtyKiB, b: thirtyKiB, c: "" }).length;
  const tooMuch = await save({ c: "y".repeat(rest + 1), d: null });
  assertEquals([tooMuch.status, tooMuch.body.error], [400, "invalid_request"]);
  assertEquals(tooMuch.body.issues.map(({ path }: { path: string }) => path), ["customLabels"]);
  const [kept] = await admin`select custom_labels from messaging.contacts
      where instance_id = ${demoInstanceId} and phone = ${demoPhone}`;
  assertEquals(Object.keys(kept?.["custom_labels"]), ["a", "b"]);
  assertEquals((await save({ c: "y".repeat(rest) })).status, 200);
  const other = await post(contract, "contacts-api", "/update", { token, name: "Ana" });
  assertEquals(other.status, 200, "a full contact may be changed otherwise");
  assertEquals((await save({ a: null, d: "z".repeat(1_000) })).status, 200);
});

Deno.test("twenty simultaneous updates never make customLabels larger than 64 KiB", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      post(contract, "contacts-api", "/create", {
        token,
        customLabels: { [`key${index}`]: "x".repeat(10 * 1024) },
      })),
  );
  assertEquals(answers.filter(({ status }) => status === 200).length, 6);
  const [row] = await admin`select custom_labels from messaging.contacts
      where instance_id = ${demoInstanceId} and phone = ${demoPhone}`;
  assertEquals(Object.keys(row?.["custom_labels"]).length, 6);
});

Deno.test("collected data holds at most 64 KiB after merging externalContext; nothing is sent beyond it", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const open = (externalContext: unknown) =>
    post(contract, "process-ai-agent", "", {
      token,
      messageText: "Oi",
      initiateConversation: true,
      externalContext,
    });
  assertEquals((await open({ a: thirtyKiB })).status, 200);
  assertEquals((await open({ b: thirtyKiB })).status, 200);
  const sent = provider.requests.length;
  const { status, body } = await open({ c: thirtyKiB });
  assertEquals([status, body.error], [400, "invalid_request"]);
  assertEquals(body.issues.map(({ path }: { path: string }) => path), ["externalContext"]);
  assertEquals(provider.requests.length, sent);
  assertEquals((await open({ b: "short", c: thirtyKiB })).status, 200);
});
