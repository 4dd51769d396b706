import {
  demoOperatorEmail,
  demoOperatorId,
  demoWorkspaceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { changesOnly, exampleInstant, type ResourceDocs } from "./resource_docs.ts";
import { operators } from "./operators.ts";

export const operatorDocs: ResourceDocs = {
  resource: operators,
  name: "Operator",
  singular: "an operator",
  plural: "operators",
  example: {
    operatorId: demoOperatorId,
    workspaceId: demoWorkspaceId,
    name: "Ana",
    email: demoOperatorEmail,
    createdAt: exampleInstant,
  },
  listErrors: ["workspace_not_found"],
  create: {
    description:
      "An operator is a person to whom conversations are assigned. The e-mail address is unique in the workspace.",
    errors: ["workspace_not_found", "already_exists"],
    request: { workspaceId: demoWorkspaceId, name: "Carla", email: "carla@example.com" },
    changed: { name: "Carla", email: "carla@example.com" },
  },
  update: {
    description: changesOnly,
    errors: ["already_exists"],
    request: { name: "Ana Souza" },
    changed: { name: "Ana Souza", email: demoOperatorEmail },
  },
  commandLine: {
    description: "people to whom conversations are assigned",
    columns: ["operatorId", "name", "email"],
    example: "operators create --workspace <id> --name Ana --email ana@example.com",
  },
};
