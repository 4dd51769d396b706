// Written by `deno task providers` from shared/model/provider_kind.ts.
/** The simulated providers. Each has its own folder. */
import type { Channel } from "./channel.ts";
import type { ChannelKind } from "./records.ts";
import { whatsappCloud } from "./whatsapp_cloud/channel.ts";
import { zapi } from "./zapi/channel.ts";
import { evolution } from "./evolution/channel.ts";
import { waha } from "./waha/channel.ts";

/** By kind: the compiler requires every provider of the product. */
const byKind: Readonly<Record<ChannelKind, Channel>> = {
  whatsapp_cloud: whatsappCloud,
  zapi,
  evolution,
  waha,
};

/** In the order in which the console shows them: the gateways first, whose demo instance it opens. */
export const channels: readonly Channel[] = Object.values(byKind).sort((one, other) =>
  Number(one.isOfficial ?? false) - Number(other.isOfficial ?? false)
);

/** The simulated provider of a kind. */
export function channelOf(kind: ChannelKind): Channel {
  return byKind[kind];
}
