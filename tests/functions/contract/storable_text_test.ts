/**
 * Text that the database cannot store, in every text of every example of every operation with a JSON
 * body. A new operation is covered by being described.
 */

import { assert, assertEquals, assertNotEquals } from "../../support/assert.ts";
import {
  authorize,
  type ContractStack,
  listOperationRows,
  type OperationRow,
  startContractStack,
  toExamplePath,
} from "./contract_stack.ts";
import { createDemoRows } from "./demo_rows.ts";

type Json = unknown;
type Path = readonly (string | number)[];

const bodyRows = (await listOperationRows()).filter(({ operation }) =>
  operation.body !== undefined
);
const unstorable = ["a\u0000b", "a\ud800"];

Deno.test("text that cannot be stored is refused with its place wherever an operation keeps it", async () => {
  await using contract = await startContractStack();
  const token = await createDemoRows(contract.stack.admin, contract.stack.provider.baseUrl);
  let tried = 0;
  for (const row of bodyRows) {
    for (const { request } of row.operation.examples) {
      for (const path of listTexts(request)) {
        for (const text of unstorable) {
          const answer = await post(contract, row, token, replaceAt(request, path, text));
          const where = `${row.name} ${path.join(".")}`;
          assertEquals(answer.status, 400, where);
          const told = answer.body.issues.map((issue: { path: string }) => issue.path);
          assertEquals(told, [path.join(".")], where);
          tried += 1;
        }
      }
    }
  }
  assert(tried > 200, `only ${tried} texts were tried`);
  assertEquals(contract.stack.provider.requests.length, 0);
});

Deno.test("keys of free objects are held to the same", async () => {
  await using contract = await startContractStack();
  const token = await createDemoRows(contract.stack.admin, contract.stack.provider.baseUrl);
  const freeFields = ["customLabels", "externalContext", "variables"];
  const tried = new Set<string>();
  for (const row of bodyRows) {
    for (const field of freeFields) {
      if (row.operation.body?.shape[field] === undefined) continue;
      for (const key of unstorable) {
        const request = { ...row.operation.examples[0]?.request, [field]: { deep: { [key]: 1 } } };
        const answer = await post(contract, row, token, request);
        assertEquals([answer.status, answer.body.error], [400, "invalid_request"], row.name);
        assertEquals(answer.body.issues, [{
          path: `${field}.deep`,
          message: "must not have a key with NUL or half of a surrogate pair",
        }]);
        tried.add(field);
      }
    }
  }
  assertEquals([...tried].sort(), freeFields);
});

Deno.test("text that cannot be stored is ignored in fields that an operation does not know", async () => {
  await using contract = await startContractStack();
  const token = await createDemoRows(contract.stack.admin, contract.stack.provider.baseUrl);
  for (const row of bodyRows) {
    const [example] = row.operation.examples;
    const unknown = { unknown: unstorable, "\u0000": { "\ud800": 1 } };
    const request = { ...example?.request, ...unknown };
    const answer = await post(contract, row, token, request);
    assertNotEquals(answer.body.error, "invalid_request", row.name);
    assert(answer.status < 500, row.name);
  }
});

function listTexts(value: Json, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap((item, index) => listTexts(item, [...path, index]))
    : Object.entries(value).flatMap(([key, member]) => listTexts(member, [...path, key]));
}

function replaceAt(value: Json, [head, ...rest]: Path, text: string): Json {
  if (head === undefined) return text;
  if (Array.isArray(value)) {
    return value.with(Number(head), replaceAt(value[Number(head)], rest, text));
  }
  const holder = value as Readonly<Record<string, Json>>;
  return { ...holder, [head]: replaceAt(holder[head], rest, text) };
}

async function post(
  contract: ContractStack,
  { slug, operation }: OperationRow,
  token: string,
  body: Json,
): Promise<{
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}> {
  const response = await contract.request(slug, toExamplePath(slug, operation), {
    method: operation.method,
    headers: { "Content-Type": "application/json", ...authorize(operation, token) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
