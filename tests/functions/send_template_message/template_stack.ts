/** The sending stack with send-template-message on it, and templates stored as admin-api would. */

import { callApp } from "../../support/stack/app_calls.ts";
import { createSendTemplateMessageApp } from "../../../functions/send-template-message/app.ts";
import {
  type Answer,
  type MessagingStack,
  type StackOptions,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RequestOf, ResultOf, RpcName } from "../../../shared/database/rpcs.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";

export interface TemplateOptions {
  readonly instanceId?: string | null;
  readonly name?: string;
  readonly parameterFormat?: "POSITIONAL" | "NAMED";
  readonly components?: readonly Record<string, unknown>[];
  readonly providerStatus?: string | null;
  readonly providerTemplateId?: string | null;
  readonly category?: string | null;
}

export interface TemplateStack extends AsyncDisposable {
  readonly stack: MessagingStack;
  /** The SQL functions that send-template-message has called. */
  readonly rpcNames: RpcName[];
  /** A template of the tenant's workspace: approved and synced unless told otherwise. */
  createTemplate(tenant: Tenant, options?: TemplateOptions): Promise<string>;
  /** POST send-template-message with exactly this body. */
  post(
    tenant: Tenant,
    body: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

export const phone = "5511987654321";

/** A body with one positional variable. */
export const oneVariable = [{ type: "BODY", text: "Pedido {{1}}" }];

export async function startTemplateStack(options: StackOptions = {}): Promise<TemplateStack> {
  const stack = await startMessagingStack(options);
  const rpcNames: RpcName[] = [];
  const database: Database = {
    rpc<Name extends RpcName>(name: Name, request: RequestOf<Name>): Promise<ResultOf<Name>> {
      rpcNames.push(name);
      return stack.database.rpc(name, request);
    },
    close: () => Promise.resolve(),
  };
  const app = createSendTemplateMessageApp({ ...stack.services, database });
  return {
    stack,
    rpcNames,
    async createTemplate(tenant: Tenant, template: TemplateOptions = {}): Promise<string> {
      const id = crypto.randomUUID();
      const {
        instanceId = null,
        name = "aviso",
        parameterFormat = "POSITIONAL",
        components = [{ type: "BODY", text: "Olá" }],
        providerStatus = "APPROVED",
        providerTemplateId = crypto.randomUUID(),
        category = null,
      } = template;
      await stack.admin`
        insert into messaging.message_templates (
          id, workspace_id, instance_id, name, language, parameter_format, components,
          provider_status, provider_template_id, category
        ) values (
          ${id}, ${tenant.workspaceId}, ${instanceId}, ${name}, 'pt_BR', ${parameterFormat},
          ${stack.admin.json(components as never)}, ${providerStatus}, ${providerTemplateId},
          ${category}
        )`;
      return id;
    },
    async post(tenant, body, headers = {}): Promise<Answer> {
      const response = await callApp(app, "/send-template-message", {
        method: "POST",
        headers: {
          "X-Client-Token": tenant.token,
          "Content-Type": "application/json",
          ...headers,
        },
        body: JSON.stringify(body),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: await response.json(),
      };
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
