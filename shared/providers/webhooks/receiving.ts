import {
  type ProviderBasis,
  type ProviderConfig,
  readGatewayInstanceId,
  requireConfig,
} from "../stored_config.ts";
import type { Webhook, WebhookDefinition, WebhookReceiver } from "./webhook.ts";

/** What a provider's folder declares for the function that receives its events. */
export interface ReceivingDefinition<Kind extends string, Config extends ProviderConfig>
  extends ProviderBasis<Kind, Config> {
  readonly webhook: WebhookDefinition<Config>;
}

/** A provider for the function that receives its events. */
export interface ReceivingProvider<Kind extends string = string> {
  readonly kind: Kind;
  readonly webhook: Webhook;
}

/** Converts a declaration into the form that callers use who do not know its configuration type. */
export function describeReceiving<Kind extends string, Config extends ProviderConfig>(
  definition: ReceivingDefinition<Kind, Config>,
): ReceivingProvider<Kind> {
  const { kind, config, webhook } = definition;
  const open = (value: unknown): WebhookReceiver => {
    const own = requireConfig(definition, value);
    return {
      gatewayInstanceId: readGatewayInstanceId(config, own),
      accountId: webhook.routing?.accountIdOf(own),
      checkHead: (head) => webhook.checkHead(own, head),
      checkBody: (call) => webhook.checkBody?.(own, call) ?? Promise.resolve(true),
      answerChallenge: (query) => webhook.answerChallenge?.(own, query) ?? Promise.resolve(null),
    };
  };
  return {
    kind,
    webhook: {
      path: webhook.path,
      refusal: webhook.refusal,
      embedsFiles: webhook.embedsFiles,
      knownFields: webhook.knownFields,
      hasChallenge: webhook.answerChallenge !== undefined,
      signsBody: webhook.checkBody !== undefined,
      routing: webhook.routing ?? null,
      open,
      loadEventReader: () => webhook.loadEventReader(),
    },
  };
}
