import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { workspacePageSchema } from "../contract.ts";
import { recordAnswer } from "./answers.ts";
import { defineResource } from "./resource.ts";

/** GET admin-api/outbox. */
const outboxPageSchema = workspacePageSchema.extend({
  status: z.enum(["pending", "done", "dead"]).optional(),
});

/** An entry as responses show it. */
const outboxRecord = {
  outboxId: z.uuid(),
  workspaceId: z.uuid(),
  instanceId: z.uuid().nullable(),
  kind: z.string(),
  status: z.enum(["pending", "done", "dead"]),
  attempts: z.int().min(0),
  lastError: z.string().nullable(),
  runAt: instantSchema,
  createdAt: instantSchema,
  settledAt: instantSchema.nullable(),
};

export const outboxResponseSchema = recordAnswer(outboxRecord);

/** Only the outbox itself creates entries. Retrying one has a route of its own (outbox_routes.ts). */
export const outbox = defineResource({
  path: "/outbox",
  idName: "outboxId",
  notFound: "not_found",
  record: outboxRecord,
  list: {
    schema: outboxPageSchema,
    read: (database, query) => database.rpc("list_outbox", query),
  },
});
