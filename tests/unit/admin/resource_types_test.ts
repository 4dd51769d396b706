import type { Context } from "hono";
import * as z from "zod";
import { workspacePageSchema } from "../../../functions/admin-api/contract.ts";
import { pageAnswer, recordAnswer } from "../../../functions/admin-api/resources/answers.ts";
import { defineResource } from "../../../functions/admin-api/resources/resource.ts";
import { resealResponseSchema } from "../../../functions/admin-api/resources/reseal.ts";
import { workspaces } from "../../../functions/admin-api/resources/workspaces.ts";
import { receiveResponseSchema } from "../../../functions/provider-webhook/contract.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RequestOf } from "../../../shared/database/rpcs.ts";
import { answerJson } from "../../../shared/http/answer.ts";
import { assertEquals } from "../../support/assert.ts";

const { path, idName, notFound } = workspaces;
const method = { path, idName, notFound } as const;
const schema = z.object({ name: z.string() });
const get = (database: Database, workspaceId: string) =>
  database.rpc("get_workspace", { workspaceId });
const list = {
  schema: workspacePageSchema,
  read: (database: Database, query: RequestOf<"list_workspaces">) =>
    database.rpc("list_workspaces", query),
};
const create = {
  schema,
  execute: (database: Database, request: RequestOf<"create_workspace">) =>
    database.rpc("create_workspace", request),
};
const record = {
  workspaceId: z.uuid(),
  name: z.string(),
  alertEmail: z.string().nullable(),
  peopleScope: z.enum(["instance", "workspace"]),
  peopleScopeChange: z.object({
    to: z.enum(["instance", "workspace"]),
    phase: z.enum(["waiting", "collecting", "telling", "forgetting"]),
    done: z.int(),
    total: z.int().nullable(),
    startedAt: z.string(),
  }).nullable(),
  createdAt: z.string(),
};
const { name: _name, ...withoutName } = record;

/** Resources that must not type-check, beside the one that does. */
function defineWrongly(): void {
  defineResource({ ...method, record, get, list, create });
  const wronglyTyped = { ...record, name: z.int() };
  // @ts-expect-error: the functions return a member of another type
  defineResource({ ...method, record: wronglyTyped, get, list, create });
  const withMore = { ...record, colour: z.string() };
  // @ts-expect-error: the functions return no such member
  defineResource({ ...method, record: withMore, get, list, create });
  // @ts-expect-error: the functions return a member that the record does not name
  defineResource({ ...method, record: withoutName, get, list, create });
  const otherGet = (database: Database, operatorId: string) =>
    database.rpc("get_operator", { operatorId });
  // @ts-expect-error: one function returns the record of another resource
  defineResource({ ...method, record, get: otherGet, list, create });
  const otherList = {
    schema: workspacePageSchema,
    read: (database: Database, query: RequestOf<"list_operators">) =>
      database.rpc("list_operators", query),
  };
  // @ts-expect-error: the pages hold the records of another resource
  defineResource({ ...method, record, get, list: otherList, create });
  const needsMore = {
    schema,
    execute: (database: Database, request: RequestOf<"create_workspace"> & { email: string }) =>
      database.rpc("create_workspace", request),
  };
  // @ts-expect-error: the function needs a field that the request's schema lacks
  defineResource({ ...method, record, get, list, create: needsMore });
}

/** Answers that must not type-check. */
function answerWrongly(context: Context): void {
  const success = true as const;
  const [recordSchema, pageSchema] = [recordAnswer(record), pageAnswer(record)];
  const item = {
    workspaceId: "w",
    name: "Demo",
    alertEmail: null,
    peopleScope: "instance" as const,
    peopleScopeChange: null,
    createdAt: "2026-11-23T13:00:00Z",
  };
  answerJson(context, recordSchema, { success, ...item });
  // @ts-expect-error: a member of the record is missing
  answerJson(context, recordSchema, { success, workspaceId: "w", name: "Demo" });
  answerJson(context, pageSchema, { success, items: [item], nextCursor: null });
  // @ts-expect-error: a record of the page lacks its members
  answerJson(context, pageSchema, { success, items: [{}], nextCursor: null });
  // @ts-expect-error: members of the report are missing
  answerJson(context, resealResponseSchema, { success, resealed: 1 });
  // @ts-expect-error: a number is a text
  answerJson(context, receiveResponseSchema, { success, recorded: "1" });
}

Deno.test("a resource whose SQL functions return another record than it says is a type error", () => {
  assertEquals(defineWrongly.length, 0);
});

Deno.test("an answer of admin-api or provider-webhook that breaks its schema is a type error", () => {
  assertEquals(answerWrongly.length, 1);
});
