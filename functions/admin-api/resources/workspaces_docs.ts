import { demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import { exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { workspaces } from "./workspaces.ts";

export const workspaceDocs: ResourceDocs = {
  resource: workspaces,
  name: "Workspace",
  singular: "a workspace",
  plural: "workspaces",
  example: {
    workspaceId: demoWorkspaceId,
    name: "Demo",
    alertEmail: "alerts@example.com",
    createdAt: exampleInstant,
  },
  fields: {
    alertEmail:
      "E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody.",
  },
  listErrors: [],
  create: {
    description: "A workspace owns instances, operators, departments, templates and agents.",
    errors: [],
    request: { name: "Demo", alertEmail: "alerts@example.com" },
  },
  update: {
    description: "Only the fields that are sent change. An empty `alertEmail` removes the address.",
    errors: [],
    request: { alertEmail: "ops@example.com" },
    changed: { alertEmail: "ops@example.com" },
  },
  commandLine: {
    description: "companies, which own instances, operators and departments",
    columns: ["workspaceId", "name", "createdAt"],
    example: 'workspaces create --name "My company"',
  },
};
