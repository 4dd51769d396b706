/** One call of send-template-message on the official channel, over a service of its own. */

import type { Sql } from "postgres";
import { demoOfficialInstanceId, demoWorkspaceId } from "../../../shared/openapi/demo_fixtures.ts";
import { createTenant, createToken } from "../../support/fixtures/tenant.ts";
import { type Members, newPhone, type ServiceAnswer, startService } from "../contract/service.ts";

/** What differs from a call that succeeds. */
export interface TemplateCall {
  /** Columns of the template; `another` stands for another instance of the workspace. */
  readonly template?: {
    readonly instance_id?: "another";
    readonly provider_status?: string | null;
    readonly provider_template_id?: string | null;
    readonly parameter_format?: "NAMED" | "POSITIONAL";
    readonly components?: readonly Members[];
  };
  readonly request?: Members;
  /** Name of the contact, who is unknown without one. */
  readonly contactName?: string;
  /** Whether the official instance has an id at its provider. */
  readonly isConnected?: boolean;
  readonly providerRefuses?: boolean;
}

export interface TemplateOutcome extends ServiceAnswer {
  /** Parameters of the components, as the provider got them. */
  readonly components: unknown;
}

/** Makes the call; a template with the variables `nome` and `pedido`, approved and synchronised. */
export async function sendTemplate(change: TemplateCall): Promise<TemplateOutcome> {
  await using service = await startService();
  const { sql, contract } = service;
  const { provider } = contract.stack;
  if (change.providerRefuses) provider.answer = refuseTemplate;
  if (change.isConnected === false) {
    await sql`
      update messaging.instances set gateway_instance_id = null where id = ${demoOfficialInstanceId}`;
  }
  if (change.contactName !== undefined) await nameContact(sql, change.contactName);
  const other = await createTenant(sql, { workspaceId: demoWorkspaceId });
  const templateId = crypto.randomUUID();
  const { components = defaultComponents, instance_id: owner, ...columns } = change.template ?? {};
  const template = {
    id: templateId,
    workspace_id: demoWorkspaceId,
    instance_id: owner === undefined ? demoOfficialInstanceId : other.instanceId,
    name: "pedido_enviado",
    language: "pt_BR",
    parameter_format: "NAMED",
    components: sql.json(components as never),
    provider_status: "APPROVED",
    provider_template_id: "1207842345678901",
    ...columns,
  };
  await sql`insert into messaging.message_templates ${sql(template)}`;
  const { token } = await createToken(sql, demoOfficialInstanceId);
  const response = await contract.request("send-template-message", "/send-template-message", {
    method: "POST",
    headers: { "X-Client-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify({
      templateId,
      instanceId: demoOfficialInstanceId,
      phone: newPhone,
      variables: { nome: "Ana", pedido: "4711" },
      ...change.request,
    }),
  });
  const sent = provider.requests[0]?.json["template"] as { components?: unknown } | undefined;
  return { status: response.status, body: await response.json(), components: sent?.components };
}

const defaultComponents = [{ type: "BODY", text: "Oi {{nome}}, o pedido {{pedido}} saiu." }];

async function nameContact(sql: Sql, name: string): Promise<void> {
  await sql`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, name)
    values (${demoOfficialInstanceId}, ${newPhone}, ${newPhone}, 'api', ${name})`;
}

function refuseTemplate(): Response {
  const error = { code: 132001, message: "Template name does not exist", type: "OAuthException" };
  return Response.json({ error }, { status: 404 });
}
