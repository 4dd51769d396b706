import * as z from "zod";
import { idSchema } from "../../../shared/model/request_fields.ts";
import { nameSchema, workspacePageSchema } from "../contract.ts";
import { operatorFields } from "../../../shared/model/tenant_records.ts";
import { defineResource } from "./resource.ts";

/** Compared case-insensitively, stored as written. */
const emailSchema = z.string().trim().max(254).pipe(z.email("must be an e-mail address"));

/** POST admin-api/operators. */
const createOperatorSchema = z.object({
  workspaceId: idSchema,
  name: nameSchema,
  email: emailSchema,
});

/** PATCH admin-api/operators/:id. */
const updateOperatorSchema = z.object({
  name: nameSchema.optional(),
  email: emailSchema.optional(),
});

export const operators = defineResource({
  path: "/operators",
  idName: "operatorId",
  notFound: "operator_not_found",
  uniqueField: "email",
  record: operatorFields,
  get: (database, operatorId) => database.rpc("get_operator", { operatorId }),
  list: {
    schema: workspacePageSchema,
    read: (database, query) => database.rpc("list_operators", query),
  },
  create: {
    schema: createOperatorSchema,
    execute: (database, request) => database.rpc("create_operator", request),
  },
  update: {
    schema: updateOperatorSchema,
    execute: (database, operatorId, changes) =>
      database.rpc("update_operator", { operatorId, changes }),
  },
});
