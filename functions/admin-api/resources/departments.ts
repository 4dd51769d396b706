import * as z from "zod";
import { idSchema } from "../../../shared/model/request_fields.ts";
import { nameSchema, workspacePageSchema } from "../contract.ts";
import { departmentFields } from "../../../shared/model/tenant_records.ts";
import { defineResource } from "./resource.ts";

/** POST admin-api/departments. */
const createDepartmentSchema = z.object({ workspaceId: idSchema, name: nameSchema });

/** PATCH admin-api/departments/:id. */
const updateDepartmentSchema = z.object({ name: nameSchema.optional() });

export const departments = defineResource({
  path: "/departments",
  idName: "departmentId",
  notFound: "department_not_found",
  record: departmentFields,
  get: (database, departmentId) => database.rpc("get_department", { departmentId }),
  list: {
    schema: workspacePageSchema,
    read: (database, query) => database.rpc("list_departments", query),
  },
  create: {
    schema: createDepartmentSchema,
    execute: (database, request) => database.rpc("create_department", request),
  },
  update: {
    schema: updateDepartmentSchema,
    execute: (database, departmentId, changes) =>
      database.rpc("update_department", { departmentId, changes }),
  },
});
