// Written by `deno task providers` from shared/model/provider_kind.ts.
/** The providers of this API for the function that administers instances. */
import { createRegistry } from "./create_registry.ts";
import { type AdministeredProvider, describeAdministration } from "./administration.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import { whatsappCloudAdministration } from "./whatsapp_cloud/administration.ts";
import { zapiAdministration } from "./zapi/administration.ts";
import { evolutionAdministration } from "./evolution/administration.ts";
import { wahaAdministration } from "./waha/administration.ts";

/** By kind: the compiler asks for every kind, and for its own provider. */
const providers: { readonly [Kind in ProviderKind]: AdministeredProvider<Kind> } = {
  whatsapp_cloud: describeAdministration(whatsappCloudAdministration),
  zapi: describeAdministration(zapiAdministration),
  evolution: describeAdministration(evolutionAdministration),
  waha: describeAdministration(wahaAdministration),
};

/** See `registry.ts`, which has the same providers in all their roles. */
export const administrationRegistry = createRegistry(Object.values(providers));
