/** Which operations a token of each scope may call. Generated from the operations. */

import { tokenScopes } from "../../../shared/model/token_scope.ts";
import { listScopesOf } from "../../../shared/http/token_scope.ts";
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
  operation.access === "clientToken"
);

/** The contract, written out: `GET` marks what is for reading alone. */
const functionsByScope: Readonly<Record<string, readonly string[]>> = {
  send: ["send-message", "send-template-message", "process-ai-agent", "messages-api"],
  contacts: ["contacts-api"],
  conversations: ["conversations-api"],
  history: ["messages-context", "GET messages-api"],
  events: ["events-api"],
  media: ["media-api"],
  batches: ["batches-api"],
};

function includes(scope: string, { slug, operation }: OperationRow): boolean {
  const functions = functionsByScope[scope] ?? [];
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
    const scopes = tokenScopes.filter((scope) => includes(scope, row));
    assert(scopes.length > 0, `no token may call ${row.name}`);
    for (const scope of scopes) {
      await admin`update messaging.client_tokens set scopes = ${[scope]}`;
      const headers = authorize(row.operation, token);
      const { path, init } = toExampleRequest(row, row.operation.examples[0], headers);
      const response = await contract.request(row.slug, path, init);
      const body = await response.text();
      assert(!body.includes("insufficient_scope"), `${scope}: ${row.name}: ${body}`);
    }
  }
});

Deno.test("HEAD is reading, and a function without a scope is a defect, not an open door", () => {
  assertEquals(listScopesOf("messages-api", "HEAD"), ["send", "history"]);
  assertEquals(listScopesOf("messages-api", "DELETE"), ["send"]);
  for (const name of ["sanitize-phone-number", "constructor"]) {
    assertThrows(() => listScopesOf(name, "GET"));
  }
});
