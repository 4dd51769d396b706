import type { Context } from "hono";
import * as z from "zod";
import {
  definePlainResource,
  type PageAnswer,
  type RecordAnswer,
} from "../../../functions/admin-api/resources/resource.ts";
import type { ResealResponse } from "../../../functions/admin-api/resources/reseal.ts";
import { workspaces } from "../../../functions/admin-api/resources/workspaces.ts";
import type { ReceiveResponse } from "../../../functions/provider-webhook/contract.ts";
import { answerJson } from "../../../shared/http/answer.ts";
import { assertEquals } from "../../support/assert.ts";

const { path, idName, notFound, list: { schema } } = workspaces;
const method = { path, idName, notFound } as const;
const get = { rpcName: "get_workspace" } as const;
const list = { rpcName: "list_workspaces", schema } as const;
const create = { rpcName: "create_workspace", schema } as const;
const record = { workspaceId: z.uuid(), name: z.string(), createdAt: z.string() };
const { name: _name, ...withoutName } = record;

/** Resources that must not type-check, beside the one that does. */
function defineWrongly(): void {
  definePlainResource({ ...method, record, get, list, create });
  const wronglyTyped = { ...record, name: z.int() };
  // @ts-expect-error: the functions return a member of another type
  definePlainResource({ ...method, record: wronglyTyped, get, list, create });
  const withMore = { ...record, colour: z.string() };
  // @ts-expect-error: the functions return no such member
  definePlainResource({ ...method, record: withMore, get, list, create });
  // @ts-expect-error: the functions return a member that the record does not name
  definePlainResource({ ...method, record: withoutName, get, list, create });
  const otherGet = { rpcName: "get_operator" } as const;
  // @ts-expect-error: one function returns the record of another resource
  definePlainResource({ ...method, record, get: otherGet, list, create });
  const otherList = { rpcName: "list_operators", schema } as const;
  // @ts-expect-error: the pages hold the records of another resource
  definePlainResource({ ...method, record, get, list: otherList, create });
}

/** Answers that must not type-check. */
function answerWrongly(context: Context): void {
  const success = true as const;
  const item = { workspaceId: "w", name: "Demo", createdAt: "2026-11-23T13:00:00Z" };
  answerJson<RecordAnswer<typeof record>>(context, { success, ...item });
  // @ts-expect-error: a member of the record is missing
  answerJson<RecordAnswer<typeof record>>(context, { success, workspaceId: "w", name: "Demo" });
  answerJson<PageAnswer<typeof record>>(context, { success, items: [item], nextCursor: null });
  // @ts-expect-error: a record of the page lacks its members
  answerJson<PageAnswer<typeof record>>(context, { success, items: [{}], nextCursor: null });
  // @ts-expect-error: members of the report are missing
  answerJson<ResealResponse>(context, { success, resealed: 1 });
  // @ts-expect-error: a number is a text
  answerJson<ReceiveResponse>(context, { success, recorded: "1" });
}

Deno.test("a resource whose SQL functions return another record than it says is a type error", () => {
  assertEquals(defineWrongly.length, 0);
});

Deno.test("an answer of admin-api or provider-webhook that breaks its schema is a type error", () => {
  assertEquals(answerWrongly.length, 1);
});
