/**
 * The sessions of gateways with the company's phone, and what the official channel lets an account do.
 * A lost one refuses every send; the provider tells the instance's webhook, as of every change.
 */
import * as z from "zod";
import { channelOf } from "./channels.ts";
import type { SimulatorContext } from "./context.ts";
import { type ChannelKind, channelKinds } from "./records.ts";

export const connectionSchema = z.object({
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
  state: z.enum(["connected", "disconnected"]),
});
export type Connection = z.infer<typeof connectionSchema>;

/** A change of a connection, from which a channel builds its webhook event. */
export interface ConnectionChange {
  readonly instance: string;
  readonly state: Connection["state"];
  readonly at: string;
}

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

/** The connection of each instance with a webhook. */
export function listConnections({ webhooks, connections }: SimulatorContext): Connection[] {
  return webhooks.list().map(({ provider, instance }) => ({
    provider,
    instance,
    state: connections.isLost(provider, instance) ? "disconnected" : "connected",
  }));
}

/** Changes a connection, and tells the instance's webhook. */
export function changeConnection(simulator: SimulatorContext, connection: Connection): void {
  const { provider, instance, state } = connection;
  simulator.connections.set(connection);
  const change = { instance, state, at: simulator.store.now().toISOString() };
  const kind: ChannelKind = provider;
  simulator.webhooks.send(kind, instance, channelOf(kind).composeConnection(change));
  simulator.store.announce({ type: "faults_changed" });
}
