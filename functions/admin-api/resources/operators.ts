import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { idSchema } from "../../../shared/model/request_fields.ts";
import { nameSchema, workspacePageSchema } from "../contract.ts";
import { definePlainResource } from "./resource.ts";

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

export const operators = definePlainResource({
  path: "/operators",
  idName: "operatorId",
  notFound: "operator_not_found",
  uniqueField: "email",
  record: {
    operatorId: z.uuid(),
    workspaceId: z.uuid(),
    name: z.string(),
    email: z.string(),
    createdAt: instantSchema,
  },
  get: { rpcName: "get_operator" },
  list: { rpcName: "list_operators", schema: workspacePageSchema },
  create: { rpcName: "create_operator", schema: createOperatorSchema },
  update: { rpcName: "update_operator", schema: updateOperatorSchema },
});
