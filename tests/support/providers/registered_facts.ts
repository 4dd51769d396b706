// Written by `deno task providers` from shared/model/provider_kind.ts.
/** What the tests know of each provider. */
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import type { ProviderFacts } from "./facts.ts";
import { whatsappCloudFacts } from "./whatsapp_cloud/facts.ts";
import { zapiFacts } from "./zapi/facts.ts";
import { evolutionFacts } from "./evolution/facts.ts";
import { wahaFacts } from "./waha/facts.ts";

/** By kind: the compiler asks for those of every provider. */
export const factsOf: { readonly [Kind in ProviderKind]: ProviderFacts } = {
  whatsapp_cloud: whatsappCloudFacts,
  zapi: zapiFacts,
  evolution: evolutionFacts,
  waha: wahaFacts,
};
