/** The only list of the simulated providers. Each has its own folder. */
import type { Channel } from "./channel.ts";
import { evolution } from "./evolution/channel.ts";
import type { ChannelKind } from "./records.ts";
import { whatsappCloud } from "./whatsapp_cloud/channel.ts";
import { zapi } from "./zapi/channel.ts";

/** By kind: the compiler requires every provider of the product. */
const byKind: Readonly<Record<ChannelKind, Channel>> = {
  zapi,
  evolution,
  whatsapp_cloud: whatsappCloud,
};

/** In the order in which the console shows them. */
export const channels: readonly Channel[] = Object.values(byKind);

/** The simulated provider of a kind. */
export function channelOf(kind: ChannelKind): Channel {
  return byKind[kind];
}
