// Written by `deno task providers` from shared/model/provider_kind.ts.
/** The providers of this API for the function that receives their events. */
import type { ProviderKind } from "../model/provider_kind.ts";
import { createRegistry } from "./create_registry.ts";
import { describeReceiving, type ReceivingProvider } from "./webhooks/receiving.ts";
import { whatsappCloudBasis } from "./whatsapp_cloud/config.ts";
import { whatsappCloudWebhook } from "./whatsapp_cloud/webhook.ts";
import { zapiBasis } from "./zapi/config.ts";
import { zapiWebhook } from "./zapi/webhook.ts";
import { evolutionBasis } from "./evolution/config.ts";
import { evolutionWebhook } from "./evolution/webhook.ts";
import { wahaBasis } from "./waha/config.ts";
import { wahaWebhook } from "./waha/webhook.ts";

/** By kind: the compiler asks for every kind, and for its own provider. */
const providers: { readonly [Kind in ProviderKind]: ReceivingProvider<Kind> } = {
  whatsapp_cloud: describeReceiving({ ...whatsappCloudBasis, webhook: whatsappCloudWebhook }),
  zapi: describeReceiving({ ...zapiBasis, webhook: zapiWebhook }),
  evolution: describeReceiving({ ...evolutionBasis, webhook: evolutionWebhook }),
  waha: describeReceiving({ ...wahaBasis, webhook: wahaWebhook }),
};

/** See `registry.ts`, which has the same providers in all their roles. */
export const webhookRegistry = createRegistry(Object.values(providers));
