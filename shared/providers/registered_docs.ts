// Written by `deno task providers` from shared/model/provider_kind.ts.
import type { ProviderDocs } from "./provider_docs.ts";
import type { ProviderKind } from "../model/provider_kind.ts";
import { whatsappCloudDocs } from "./whatsapp_cloud/docs.ts";
import { zapiDocs } from "./zapi/docs.ts";
import { evolutionDocs } from "./evolution/docs.ts";
import { wahaDocs } from "./waha/docs.ts";

/** Each provider's part of the API document. No running function imports it. */
export const registeredDocs: { readonly [Kind in ProviderKind]: ProviderDocs } = {
  whatsapp_cloud: whatsappCloudDocs,
  zapi: zapiDocs,
  evolution: evolutionDocs,
  waha: wahaDocs,
};
