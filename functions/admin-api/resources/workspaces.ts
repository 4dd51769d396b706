import * as z from "zod";
import { pageSchema } from "../../../shared/model/page.ts";
import { peopleScopes } from "../../../shared/model/people_scope.ts";
import { nameSchema } from "../contract.ts";
import { workspaceFields } from "../../../shared/model/tenant_records.ts";
import { defineResource } from "./resource.ts";

/** The address for alerts that an operator must handle. An empty text removes it. */
const alertEmailSchema = z.string().trim().max(254).pipe(
  z.union([z.literal(""), z.email()], "must be an e-mail address"),
);

/** POST admin-api/workspaces. */
const createWorkspaceSchema = z.object({
  name: nameSchema,
  alertEmail: alertEmailSchema.optional(),
  peopleScope: z.enum(peopleScopes).optional(),
});

/** PATCH admin-api/workspaces/:id. */
const updateWorkspaceSchema = z.object({
  name: nameSchema.optional(),
  alertEmail: alertEmailSchema.optional(),
  peopleScope: z.enum(peopleScopes).optional(),
});

export const workspaces = defineResource({
  path: "/workspaces",
  idName: "workspaceId",
  notFound: "workspace_not_found",
  record: workspaceFields,
  get: (database, workspaceId) => database.rpc("get_workspace", { workspaceId }),
  list: {
    schema: pageSchema,
    read: (database, query) => database.rpc("list_workspaces", query),
  },
  create: {
    schema: createWorkspaceSchema,
    execute: (database, request) => database.rpc("create_workspace", request),
  },
  update: {
    schema: updateWorkspaceSchema,
    execute: (database, workspaceId, changes) =>
      database.rpc("update_workspace", { workspaceId, changes }),
  },
});
