import { demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import { exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { workspaces } from "./workspaces.ts";

export const workspaceDocs: ResourceDocs = {
  resource: workspaces,
  name: "Workspace",
  singular: "a workspace",
  plural: "workspaces",
  example: { workspaceId: demoWorkspaceId, name: "Demo", createdAt: exampleInstant },
  listErrors: [],
  create: {
    description: "A workspace owns instances, operators, departments, templates and agents.",
    errors: [],
    request: { name: "Demo" },
  },

  commandLine: {
    description: "companies, which own instances, operators and departments",
    columns: ["workspaceId", "name", "createdAt"],
    example: 'workspaces create --name "My company"',
  },
};
