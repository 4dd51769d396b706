import { workspacePageSchema } from "../contract.ts";
import { instanceRecord } from "../../../shared/model/instance_record.ts";
import { createInstanceSchema, updateInstanceSchema } from "../instance_contract.ts";
import { defineResource } from "./resource.ts";

/**
 * Creating and changing have routes of their own (instance_routes.ts), because credentials are
 * sealed. So has reading one, because it takes every form of `instanceId`.
 */
export const instances = defineResource({
  path: "/instances",
  idName: "instanceId",
  notFound: "Instance not found",
  record: instanceRecord,
  list: {
    schema: workspacePageSchema,
    read: (database, query) => database.rpc("list_instances", query),
  },
  create: { schema: createInstanceSchema },
  update: { schema: updateInstanceSchema },
});
