import { agents } from "./resources/agents.ts";
import { departments } from "./resources/departments.ts";
import { operators } from "./resources/operators.ts";
import type { Resource } from "./resources/resource.ts";
import { templates } from "./resources/templates.ts";
import { workspaces } from "./resources/workspaces.ts";

/** Every resource that has only standard routes. */
export const resources: readonly Resource[] = [
  workspaces,
  operators,
  departments,
  agents,
  templates,
];
