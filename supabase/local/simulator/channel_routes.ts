// Written by `deno task providers` from shared/model/provider_kind.ts.
/** The endpoints of the simulated providers, by kind: the compiler requires those of every one. */
import type { ChannelRoutes } from "./channel.ts";
import type { SimulatorContext } from "./context.ts";
import type { ChannelKind } from "./records.ts";
import { createWhatsappCloudRoutes } from "./whatsapp_cloud/routes.ts";
import { createZapiRoutes } from "./zapi/routes.ts";
import { createEvolutionRoutes } from "./evolution/routes.ts";
import { createWahaRoutes } from "./waha/routes.ts";

const creators: Readonly<Record<ChannelKind, (context: SimulatorContext) => ChannelRoutes>> = {
  whatsapp_cloud: createWhatsappCloudRoutes,
  zapi: createZapiRoutes,
  evolution: createEvolutionRoutes,
  waha: createWahaRoutes,
};

/** Creates the endpoints of one provider. */
export function createChannelRoutes(kind: ChannelKind, context: SimulatorContext): ChannelRoutes {
  return creators[kind](context);
}
