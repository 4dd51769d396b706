// Written by `deno task providers` from shared/model/provider_kind.ts.
/** The providers of this API for the functions that send. */
import { createRegistry } from "./create_registry.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import { describeSending, type SendingProvider } from "./sending.ts";
import { whatsappCloudSending } from "./whatsapp_cloud/sending.ts";
import { zapiSending } from "./zapi/sending.ts";
import { evolutionSending } from "./evolution/sending.ts";
import { wahaSending } from "./waha/sending.ts";

/** By kind: the compiler asks for every kind, and for its own provider. */
const providers: { readonly [Kind in ProviderKind]: SendingProvider<Kind> } = {
  whatsapp_cloud: describeSending(whatsappCloudSending),
  zapi: describeSending(zapiSending),
  evolution: describeSending(evolutionSending),
  waha: describeSending(wahaSending),
};

/** See `registry.ts`, which has the same providers in all their roles. */
export const sendingRegistry = createRegistry(Object.values(providers));
