import * as z from "zod";
import { outboxStatuses } from "../../../shared/model/outbox_kinds.ts";
import { outboxRecordFields } from "../../../shared/model/outbox_record.ts";
import { workspacePageSchema } from "../contract.ts";
import { recordAnswer } from "./answers.ts";
import { defineResource } from "./resource.ts";

/** GET admin-api/outbox. */
const outboxPageSchema = workspacePageSchema.extend({
  status: z.enum(outboxStatuses).optional(),
});

export const outboxResponseSchema = recordAnswer(outboxRecordFields);

/** Only the outbox itself creates entries. Retrying one has a route of its own (outbox_routes.ts). */
export const outbox = defineResource({
  path: "/outbox",
  idName: "outboxId",
  notFound: "not_found",
  record: outboxRecordFields,
  list: {
    schema: outboxPageSchema,
    read: (database, query) => database.rpc("list_outbox", query),
  },
});
