import type { Operation } from "../../shared/openapi/operation.ts";
import { agentDocs } from "./resources/agents_docs.ts";
import { connectionLinkOperations } from "./resources/connection_link_docs.ts";
import { connectionOperations } from "./resources/connection_docs.ts";
import { departmentDocs } from "./resources/departments_docs.ts";
import { instanceDocs } from "./resources/instances_docs.ts";
import { operatorDocs } from "./resources/operators_docs.ts";
import { outboxDocs, retryOperation } from "./resources/outbox_docs.ts";
import { queueOperations } from "./resources/queue_docs.ts";
import { rateOperations } from "./resources/rates_docs.ts";
import { resealResponseSchema } from "./resources/reseal.ts";
import { adminOperation, describeResource, type ResourceDocs } from "./resources/resource_docs.ts";
import { syncOperation } from "./resources/template_sync_docs.ts";
import { validateTemplateOperation } from "./resources/template_validation_docs.ts";
import { templateOperations } from "./resources/template_submission_docs.ts";
import { templateDocs } from "./resources/templates_docs.ts";
import { tokenOperations } from "./resources/tokens_docs.ts";
import { usageOperations } from "./resources/usage_docs.ts";
import { workspaceDocs } from "./resources/workspaces_docs.ts";
import { healthOperation } from "./service_health_docs.ts";

/**
 * Every resource with standard operations, in the order of the document.
 */
export const resourceDocs: readonly ResourceDocs[] = [
  workspaceDocs,
  instanceDocs,
  operatorDocs,
  departmentDocs,
  agentDocs,
  templateDocs,
  outboxDocs,
];

const resealOperation: Operation = {
  ...adminOperation,
  method: "POST",
  path: "/credentials/reseal",
  operationId: "resealCredentials",
  summary: "Seal stored credentials under the current key",
  description:
    "Rotates the encryption key: after a new key was added at the start of `CREDENTIALS_KEYS`, seals a batch of credentials under it again. Call it until `remaining` is 0. Then the former key can be removed, provided that `keyId` is the id of the new key: a process that started before the change knows only the former keys. Repeatable, and safe while instances are changed. The request has no body.",
  isIdempotent: true,
  success: {
    description: "Result of this call.",
    schema: resealResponseSchema,
  },
  errors: ["service_unavailable"],
  fields: {
    keyId:
      "Id of the key under which the responding process seals: the first 8 hexadecimal digits of the SHA-256 of its 32 bytes.",
    resealed:
      "Number of instances, webhook endpoints and addresses of questions whose credentials were sealed again.",
    remaining: "Number of those that are still sealed under a former key.",
    unreadable:
      "Ids of those whose credentials no key opens. Set an instance's `providerConfig` again with PATCH.",
  },
  examples: [{
    name: "all_done",
    summary: "All credentials are sealed under the current key",
    response: { success: true, keyId: "9f86d081", resealed: 12, remaining: 0, unreadable: [] },
  }],
};

/** The operations of admin-api (decisions, section 9). */
export const operations: readonly Operation[] = [
  ...resourceDocs.flatMap(describeResource),
  ...connectionOperations,
  ...connectionLinkOperations,
  ...tokenOperations,
  validateTemplateOperation,
  ...templateOperations,
  syncOperation,
  retryOperation,
  ...queueOperations,
  ...rateOperations,
  ...usageOperations,
  resealOperation,
  healthOperation,
];
