import { agents } from "./resources/agents.ts";
import { departments } from "./resources/departments.ts";
import { operators } from "./resources/operators.ts";
import type { PlainResource } from "./resources/resource.ts";
import { templates } from "./resources/templates.ts";
import { workspaces } from "./resources/workspaces.ts";

/** Every resource whose routes `createRecordRoutes` makes. */
export const resources: readonly PlainResource[] = [
  workspaces,
  operators,
  departments,
  agents,
  templates,
];
