import * as z from "zod";
import { demoWebhookSecret } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import type { ProviderDescriptor } from "../../shared/providers/descriptor.ts";
import type { ProviderDocs } from "../../shared/providers/provider_docs.ts";
import { registeredDocs } from "../../shared/providers/registered_docs.ts";
import { registry } from "../../shared/providers/registry.ts";
import { receiveResponseSchema } from "./contract.ts";

const secretParameter = {
  secret: {
    description: "`webhookSecret` of the instance's configuration.",
    example: demoWebhookSecret,
    schema: z.string().max(200),
  },
};

/** The POST that receives a provider's events. */
function describeDelivery(
  { kind, webhook }: ProviderDescriptor,
  { operationName, exampleInstanceId, webhook: docs }: ProviderDocs,
): Operation {
  const { summary, description, foreignBody, example } = docs;
  return {
    method: "POST",
    path: `/${kind}/:instanceId${webhook.path}`,
    operationId: `receive${operationName}Events`,
    ignoresParameters: true,
    tag: "Webhooks",
    summary,
    description,
    access: "public",
    maxBodyKiB: (webhook.embedsFiles ? 30 : 3) * 1024,
    pathParameters: {
      ...describeInstance(exampleInstanceId),
      ...(webhook.path.includes("/:secret") ? secretParameter : {}),
    },
    foreignBody,
    success: { description: "The delivery is stored.", schema: receiveResponseSchema },
    errors: [webhook.refusal, "service_unavailable"],
    fields: { recorded: "Number of new events in the delivery." },
    examples: [{ ...example, response: { success: true, recorded: 1 } }],
  };
}

/** The GET for providers that verify the address. */
function describeChallenge(
  { kind }: ProviderDescriptor,
  { operationName, exampleInstanceId, challenge }: ProviderDocs,
): Operation[] {
  if (challenge === undefined) return [];
  const { summary, description, query, fields, example } = challenge;
  return [{
    method: "GET",
    path: `/${kind}/:instanceId`,
    operationId: `verify${operationName}Webhook`,
    ignoresParameters: true,
    tag: "Webhooks",
    summary,
    description,
    access: "public",
    pathParameters: describeInstance(exampleInstanceId),
    query,
    success: { description: "The received challenge.", mediaType: "text/plain" },
    errors: ["invalid_webhook_secret", "service_unavailable"],
    fields,
    examples: [example],
  }];
}

function describeInstance(example: string): NonNullable<Operation["pathParameters"]> {
  return { instanceId: { description: "UUID of the instance.", example } };
}

function describeProvider(provider: (typeof registry.providers)[number]): Operation[] {
  const docs = registeredDocs[provider.kind];
  return [...describeChallenge(provider, docs), describeDelivery(provider, docs)];
}

/** The operations of provider-webhook (decisions, section 9). */
export const operations: readonly Operation[] = registry.providers.flatMap(describeProvider);
