/**
 * The order in which the document lists members. That answers keep it is checked in every answer of the
 * tests of functions, by `callApp`.
 */
import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { composeDocument } from "../../../supabase/tools/openapi/document.ts";
import { readOperations } from "../../../supabase/tools/openapi/read_operations.ts";
import { assertEquals, assertGreater, assertRejects } from "../../support/assert.ts";
import { listOrderFaults } from "../../support/stack/member_order.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { Hono } from "hono";

// deno-lint-ignore no-explicit-any -- any part of the document
type Part = any;

/** The members of the specification's answers, in its order (sections 2, 4 and 7). */
const specified: Readonly<Record<string, readonly string[]>> = {
  "conversations-api/assign": [
    ...["success", "contactId", "assignedTo", "previousAssignedTo", "portfolio", "transferred"],
    "departmentId",
  ],
  "conversations-api/status": ["success", "contactId", "status", "noteAdded"],
  "conversations-api/note": ["success", "contactId", "noteId"],
  "messages-context": ["phone", "period", "totalMessages", "conversation", "instanceInfo"],
  "contacts-api/create": ["success", "action", "contactId", "tagsApplied"],
  "contacts-api/update": ["success", "action", "contactId", "fieldsUpdated", "tagsApplied"],
  "contacts-api/tags": ["success", "contactId", "tagsApplied", "tagsRemoved"],
  "sanitize-phone-number": ["success", "original", "sanitized"],
  "send-template-message": [
    ...["success", "provider", "templateId", "templateName", "phone", "messageId"],
  ],
};
const historyItem = [
  ...["role", "sender", "content", "timestamp", "status", "messageId", "messageType", "isGroup"],
  ...["chatName", "cardId"],
];

function resolve(document: Part, part: Part): Part {
  if (part?.$ref === undefined) return part;
  const names: readonly string[] = part.$ref.slice(2).split("/");
  return resolve(
    document,
    names.reduce((found, name) => found[name.replaceAll("~1", "/")], document),
  );
}

Deno.test("the document lists the specification's members in the specification's order", async () => {
  const document: Part = composeDocument(await readOperations());
  const listMembers = (schema: Part, among: readonly string[]): string[] =>
    Object.keys(resolve(document, schema).properties).filter((name) => among.includes(name));
  for (const [path, members] of Object.entries(specified)) {
    const { get, post } = document.paths[`/functions/v1/${path}`];
    const { schema } = (post ?? get).responses["200"].content["application/json"];
    assertEquals(listMembers(schema, members), members, path);
    if (path !== "messages-context") continue;
    const { conversation } = resolve(document, schema).properties;
    assertEquals(listMembers(resolve(document, conversation).items, historyItem), historyItem);
  }
});

Deno.test("every example of an answer lists its members as its schema does", async () => {
  const document: Part = composeDocument(await readOperations());
  let checked = 0;
  const faults = Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).flatMap(([method, { responses = {} }]) =>
      Object.entries<Part>(responses).flatMap(([status, response]) =>
        Object.values<Part>(resolve(document, response).content ?? {}).flatMap((content) =>
          Object.values<Part>(content.examples ?? {}).flatMap((example) => {
            checked++;
            const { value } = resolve(document, example);
            return listOrderFaults(content.schema, value, `${method} ${path} ${status}`, document);
          })
        )
      )
    )
  );
  assertEquals(faults, []);
  assertGreater(checked, 1_000);
});

Deno.test("an answer with members in another order is found, within a list and in a refusal too", async () => {
  const call = (body: unknown, status = 200): Promise<Response> =>
    callApp(
      new Hono().all("*", () => Response.json(body, { status })),
      "/contacts-api/tags",
      { method: "POST" },
    );
  const contactId = "c0000000-0000-4000-8000-000000000001";
  const tags = { tagsApplied: [], tagsRemoved: [] };
  assertEquals((await call({ success: true, contactId, ...tags })).status, 200);
  await assertRejects(() => call({ contactId, success: true, ...tags }), Error, "another order");
  const docs = errorDocsUrl("invalid_request");
  const refusal = { success: false, error: "invalid_request", message: "x", docs };
  const issues = [{ path: "phone", message: "x" }];
  assertEquals((await call({ ...refusal, issues }, 400)).status, 400);
  await assertRejects(() => call({ issues, ...refusal }, 400), Error, "another order");
  const turned = [{ message: "x", path: "phone" }];
  await assertRejects(() => call({ ...refusal, issues: turned }, 400), Error, "issues.0");
});
