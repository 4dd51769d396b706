import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { nameSchema, pageSchema } from "../contract.ts";
import { definePlainResource } from "./resource.ts";

/** POST admin-api/workspaces. */
const createWorkspaceSchema = z.object({ name: nameSchema });

export const workspaces = definePlainResource({
  path: "/workspaces",
  idName: "workspaceId",
  notFound: "workspace_not_found",
  record: {
    workspaceId: z.uuid(),
    name: z.string(),
    createdAt: instantSchema,
  },
  get: { rpcName: "get_workspace" },
  list: { rpcName: "list_workspaces", schema: pageSchema },
  create: { rpcName: "create_workspace", schema: createWorkspaceSchema },
});
