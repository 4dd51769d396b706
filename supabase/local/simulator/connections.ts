/**
 * The sessions of gateways with the company's phone, and what the official channel lets an account do.
 * A lost one refuses every send. The provider reports every change to the instance's webhook.
 */
import * as z from "zod";
import type { Channel } from "./channel.ts";
import { channelKinds } from "./records.ts";
import type { Store } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

export const connectionSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  state: z.enum(["connected", "disconnected"]),
});
export type Connection = z.infer<typeof connectionSchema>;

/** Which instances have lost their connection. */
export class Connections {
  readonly #lost = new Set<string>();

  isLost(provider: string, instance: string | undefined): boolean {
    return this.#lost.has(`${provider} ${instance}`);
  }

  set({ provider, instance, state }: Connection): void {
    const key = `${provider} ${instance}`;
    if (state === "disconnected") this.#lost.add(key);
    else this.#lost.delete(key);
  }
}

/** Where connections are kept, and where a change of one is reported. */
export interface ConnectionServices {
  readonly connections: Connections;
  readonly webhooks: Webhooks;
  readonly store: Store;
}

/** The connection of each instance with a webhook. */
export function listConnections(
  { webhooks, connections }: Pick<ConnectionServices, "webhooks" | "connections">,
): Connection[] {
  return webhooks.list().map(({ provider, instance }) => ({
    provider,
    instance,
    state: connections.isLost(provider, instance) ? "disconnected" : "connected",
  }));
}

/** Changes a connection of the channel, and reports it to the instance's webhook. */
export function changeConnection(
  { connections, webhooks, store }: ConnectionServices,
  channel: Channel,
  connection: Connection,
): void {
  const { instance, state } = connection;
  connections.set(connection);
  const change = { instance, state, at: store.now().toISOString() };
  webhooks.send(channel.kind, instance, channel.composeConnection(change));
  store.announce({ type: "faults_changed" });
}
