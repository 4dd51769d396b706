/** Which operations a token of each scope may call. Generated from the operations. */

import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { listRequiredScopes } from "../../../shared/http/token_scope.ts";
import { assert, assertEquals, assertThrows } from "../../support/assert.ts";
import {
  authorize,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExampleRequest,
} from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

const rows = (await listOperationRows()).filter(({ operation }) =>
  // Every token may open mcp: its tools stand for calls, and need their scopes (tests/functions/mcp).
  operation.access === "clientToken" && operation.operationId !== "exchangeMcpMessage"
);

/** The contract, written out: `GET` marks what is for reading alone; operations stand by their names. */
const functionsByScope: Readonly<Record<string, readonly string[]>> = {
  send: ["send-message", "send-template-message", "process-ai-agent", "messages-api"],
  contacts: ["contacts-api"],
  erase: ["eraseContact", "getErasure"],
  conversations: ["conversations-api"],
  history: ["messages-context", "GET messages-api"],
  events: ["events-api"],
  media: ["media-api"],
  batches: ["batches-api"],
};

/** Operations of a function that its scope alone does not include. */
const closedOperations = ["eraseContact", "exportContact"];
/** Those of messages-api that reading the history does not include. */
const sendersOperations = ["listSendableTemplates"];

function includes(scope: string, { slug, operation }: OperationRow): boolean {
  const functions = functionsByScope[scope] ?? [];
  if (functions.includes(operation.operationId)) return true;
  if (closedOperations.includes(operation.operationId)) return false;
  if (scope === "history" && sendersOperations.includes(operation.operationId)) return false;
  return functions.includes(slug) || functions.includes(`${operation.method} ${slug}`);
}

Deno.test("a token may make the calls of its scope, and no other call does anything", async () => {
  await using contract = await startContractStack();
  const { admin, provider } = contract.stack;
  const token = await createDemoRows(admin, provider.baseUrl);
  const countRows = async (): Promise<unknown> =>
    (await admin`
      select (select count(*) from messaging.messages) as messages,
        (select count(*) from messaging.contacts) as contacts,
        (select count(*) from messaging.idempotency_keys) as keys`)[0];
  let refused = 0;
  for (const scope of tokenScopes) {
    await admin`update messaging.client_tokens set scopes = ${[scope]}`;
    for (const row of rows.filter((row) => !includes(scope, row))) {
      const before = await countRows();
      const headers = authorize(row.operation, token);
      const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
      const response = await contract.request(row.slug, path, init);
      const { error, message } = await response.json();
      assertEquals([response.status, error], [403, "insufficient_scope"], `${scope}: ${row.name}`);
      assert(message.endsWith("."), message);
      assertEquals(await countRows(), before, row.name);
      refused += 1;
    }
  }
  assertEquals(provider.requests.length, 0);
  assert(refused > 60, `only ${refused} calls`);
  for (const row of rows) {
    const alone = tokenScopes.filter((scope) => includes(scope, row)).map((scope) => [scope]);
    const sufficient = row.operation.operationId === "exportContact"
      ? [["contacts", "history"]]
      : alone;
    assert(sufficient.length > 0, `no token may call ${row.name}`);
    for (const scopes of sufficient) {
      await admin`update messaging.client_tokens set scopes = ${scopes}`;
      const headers = authorize(row.operation, token);
      const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
      const response = await contract.request(row.slug, path, init);
      const body = await response.text();
      assert(!body.includes("insufficient_scope"), `${scopes}: ${row.name}: ${body}`);
    }
  }
});

Deno.test("HEAD is reading, and a function without a scope is a defect, not an open door", () => {
  const listScopes = (functionName: string, method: string, path = "/"): unknown =>
    listRequiredScopes({ functionName, method, route: `/${functionName}${path}` });
  assertEquals(listScopes("messages-api", "HEAD"), [["send", "history"]]);
  assertEquals(listScopes("messages-api", "DELETE"), [["send"]]);
  const ofExport = [["contacts"], ["history"]];
  assertEquals(listScopes("contacts-api", "HEAD", "/contacts/:id/export"), ofExport);
  for (const name of ["sanitize-phone-number", "constructor"]) {
    assertThrows(() => listScopes(name, "GET"));
  }
});
