import * as z from "zod";
import { instantSchema } from "../../../shared/model/instant.ts";
import { idSchema } from "../../../shared/model/request_fields.ts";
import { nameSchema, workspacePageSchema } from "../contract.ts";
import { definePlainResource } from "./resource.ts";

/** POST admin-api/departments. */
const createDepartmentSchema = z.object({ workspaceId: idSchema, name: nameSchema });

/** PATCH admin-api/departments/:id. */
const updateDepartmentSchema = z.object({ name: nameSchema.optional() });

export const departments = definePlainResource({
  path: "/departments",
  idName: "departmentId",
  notFound: "department_not_found",
  record: {
    departmentId: z.uuid(),
    workspaceId: z.uuid(),
    name: z.string(),
    createdAt: instantSchema,
  },
  get: { rpcName: "get_department" },
  list: { rpcName: "list_departments", schema: workspacePageSchema },
  create: { rpcName: "create_department", schema: createDepartmentSchema },
  update: { rpcName: "update_department", schema: updateDepartmentSchema },
});
