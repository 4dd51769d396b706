import { workspacePageSchema } from "../contract.ts";
import {
  createInstanceSchema,
  instanceRecord,
  updateInstanceSchema,
} from "../instance_contract.ts";
import { defineResource } from "./resource.ts";

/**
 * Instances have routes of their own (instance_routes.ts), because their credentials are sealed.
 */
export const instances = defineResource({
  path: "/instances",
  idName: "instanceId",
  notFound: "Instance not found",
  record: instanceRecord,
  list: { rpcName: "list_instances", schema: workspacePageSchema },
  create: { rpcName: "create_instance", schema: createInstanceSchema },
  update: { rpcName: "update_instance", schema: updateInstanceSchema },
});
