// Written by `deno task providers` from shared/model/provider_kind.ts.
/**
 * The providers of this API in all their roles. Each has its own folder. A running function imports the
 * list of its role alone: `sending_registry.ts`, `webhook_registry.ts`, `administration_registry.ts`.
 */
import { createRegistry } from "./create_registry.ts";
import type { ProviderDescriptor } from "./descriptor.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import { whatsappCloud } from "./whatsapp_cloud/descriptor.ts";
import { zapi } from "./zapi/descriptor.ts";
import { evolution } from "./evolution/descriptor.ts";
import { waha } from "./waha/descriptor.ts";

/** By kind: the compiler asks for every kind, and for its own descriptor. */
const descriptors: { readonly [Kind in ProviderKind]: ProviderDescriptor<Kind> } = {
  whatsapp_cloud: whatsappCloud,
  zapi,
  evolution,
  waha,
};

/** The providers of this API. */
export const registry = createRegistry(Object.values(descriptors));
