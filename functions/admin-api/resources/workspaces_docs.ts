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
    peopleScope: "instance",
    peopleScopeChange: null,
    createdAt: exampleInstant,
  },
  fields: {
    alertEmail:
      "E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody.",
    peopleScope:
      "Where what a person says about marketing counts: at the `instance` where it was said, or at every instance of the `workspace`. Contacts, messages and queues stay apart.",
    peopleScopeChange: "How far a change of `peopleScope` is; `null` where none is under way.",
    "peopleScopeChange.to": "The scope that the workspace has since the change.",
    "peopleScopeChange.phase":
      "`waiting` for calls under way; `collecting` what each contact has said last; `telling` the person's other contacts; `forgetting` the shared words, back to `instance`.",
    "peopleScopeChange.done": "Contacts of this phase so far; words while it is `forgetting`.",
    "peopleScopeChange.total":
      "Contacts of the workspace as counted when it began; `null` before that, and while it is `forgetting`.",
    "peopleScopeChange.startedAt": "When the scope was changed.",
  },
  listErrors: [],
  create: {
    description: "A workspace owns instances, operators, departments, templates and agents.",
    errors: [],
    request: { name: "Demo", alertEmail: "alerts@example.com" },
  },
  update: {
    description:
      "Only the fields that are sent change. An empty `alertEmail` removes the address. A new `peopleScope` holds at once for what is said from then on; what was said before follows in steps, see `peopleScopeChange`.",
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
