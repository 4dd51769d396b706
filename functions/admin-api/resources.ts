import type * as z from "zod";
import type { RpcName } from "../../shared/database/rpcs.ts";
import type { ErrorCode } from "../../shared/model/errors.ts";
import type { ChangeCheck, CrossCheck } from "../../shared/http/validate.ts";
import {
  agentPageSchema,
  createAgentSchema,
  createDepartmentSchema,
  createOperatorSchema,
  createWorkspaceSchema,
  pageSchema,
  updateAgentSchema,
  updateDepartmentSchema,
  updateOperatorSchema,
  workspacePageSchema,
} from "./contract.ts";
import type { ChangingRpc, CreatingRpc, ListingRpc, ReadingRpc } from "./record_calls.ts";
import {
  checkChangedTemplate,
  checkNewTemplate,
  createTemplateSchema,
  templatePageSchema,
  updateTemplateSchema,
} from "./template_contract.ts";

/** How one method of a kind of record reads its request and which SQL function answers it. */
export interface RecordMethod<Name extends RpcName> {
  readonly rpcName: Name;
  readonly schema: z.ZodObject;
  readonly crossCheck?: CrossCheck;
}

/** How a change reads its request. */
export interface Update extends RecordMethod<ChangingRpc> {
  readonly checkChange?: ChangeCheck;
}

/** A kind of record that is created, read, listed and changed in the same manner as the others. */
export interface Resource {
  readonly path: string;
  /** What its id is called in requests and responses. */
  readonly idName: string;
  readonly notFound: ErrorCode;
  /** The field that no two records of one owner may share. */
  readonly uniqueField?: string;
  readonly get: { readonly rpcName: ReadingRpc };
  readonly list: RecordMethod<ListingRpc>;
  readonly create: RecordMethod<CreatingRpc>;
  readonly update?: Update;
}

/** Everything but instances, whose credentials are sealed, and what belongs to them alone. */
export const resources: readonly Resource[] = [
  {
    path: "/workspaces",
    idName: "workspaceId",
    notFound: "workspace_not_found",
    get: { rpcName: "get_workspace" },
    list: { rpcName: "list_workspaces", schema: pageSchema },
    create: { rpcName: "create_workspace", schema: createWorkspaceSchema },
  },
  {
    path: "/operators",
    idName: "operatorId",
    notFound: "operator_not_found",
    uniqueField: "email",
    get: { rpcName: "get_operator" },
    list: { rpcName: "list_operators", schema: workspacePageSchema },
    create: { rpcName: "create_operator", schema: createOperatorSchema },
    update: { rpcName: "update_operator", schema: updateOperatorSchema },
  },
  {
    path: "/departments",
    idName: "departmentId",
    notFound: "department_not_found",
    get: { rpcName: "get_department" },
    list: { rpcName: "list_departments", schema: workspacePageSchema },
    create: { rpcName: "create_department", schema: createDepartmentSchema },
    update: { rpcName: "update_department", schema: updateDepartmentSchema },
  },
  {
    path: "/agents",
    idName: "agentId",
    notFound: "agent_not_found",
    get: { rpcName: "get_ai_agent" },
    list: { rpcName: "list_ai_agents", schema: agentPageSchema },
    create: { rpcName: "create_ai_agent", schema: createAgentSchema },
    update: { rpcName: "update_ai_agent", schema: updateAgentSchema },
  },
  {
    path: "/templates",
    idName: "templateId",
    notFound: "template_not_found",
    get: { rpcName: "get_message_template" },
    list: { rpcName: "list_message_templates", schema: templatePageSchema },
    create: {
      rpcName: "create_message_template",
      schema: createTemplateSchema,
      crossCheck: checkNewTemplate,
    },
    update: {
      rpcName: "update_message_template",
      schema: updateTemplateSchema,
      checkChange: checkChangedTemplate,
    },
  },
];
