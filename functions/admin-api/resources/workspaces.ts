import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { pageSchema } from "../../../shared/model/page.ts";
import { nameSchema } from "../contract.ts";
import { defineResource } from "./resource.ts";

/** POST admin-api/workspaces. */
const createWorkspaceSchema = z.object({ name: nameSchema });

export const workspaces = defineResource({
  path: "/workspaces",
  idName: "workspaceId",
  notFound: "workspace_not_found",
  record: {
    workspaceId: z.uuid(),
    name: z.string(),
    createdAt: instantSchema,
  },
  get: (database, workspaceId) => database.rpc("get_workspace", { workspaceId }),
  list: {
    schema: pageSchema,
    read: (database, query) => database.rpc("list_workspaces", query),
  },
  create: {
    schema: createWorkspaceSchema,
    execute: (database, request) => database.rpc("create_workspace", request),
  },
});
