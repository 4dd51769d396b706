import { demoDepartmentId, demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { departments } from "./departments.ts";

export const departmentDocs: ResourceDocs = {
  resource: departments,
  name: "Department",
  singular: "a department",
  plural: "departments",
  example: {
    departmentId: demoDepartmentId,
    workspaceId: demoWorkspaceId,
    name: "Vendas",
    createdAt: exampleInstant,
  },
  listErrors: ["workspace_not_found"],
  create: {
    description: "A conversation can be routed to a department, in addition to its operator.",
    errors: ["workspace_not_found"],
    request: { workspaceId: demoWorkspaceId, name: "Suporte" },
    changed: { name: "Suporte" },
  },
  update: {
    description: changesOnly,
    errors: [],
    request: { name: "Vendas e trocas" },
    changed: { name: "Vendas e trocas" },
  },
  commandLine: {
    description: "departments of a workspace",
    columns: ["departmentId", "name"],
    example: "departments create --workspace <id> --name Vendas",
  },
};
