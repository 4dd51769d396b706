/**
 * Simulates the outside services of the local stack over HTTP, in their real wire formats: WhatsApp
 * providers with their customers' phones, the mail service and the language model. The product uses
 * its production adapters, and no product code depends on the simulator.
 */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { maxMediaBytes } from "../../../shared/media/media_rules.ts";
import { createChatCompletions } from "./chat_completions.ts";
import { createChannelRoutes } from "./channel_routes.ts";
import { channels } from "./channels.ts";
import { createFileApi } from "./file_api.ts";
import { FileStore } from "./file_store.ts";
import { Connections } from "./connections.ts";
import { FaultPlan } from "./faults.ts";
import { requireJson } from "./json_request.ts";
import { createPhoneApi } from "./phone_api.ts";
import { reportArrivals } from "./phones.ts";
import { createReadApi } from "./read_api.ts";
import { Responders } from "./responders.ts";
import { createResend } from "./resend.ts";
import type { SimulatorContext } from "./context.ts";
import { Store, type StoreEntry } from "./store.ts";
import { FreeEntryPoints } from "./free_entry_points.ts";
import { createWebhookReceiver } from "./webhook_receiver.ts";
import { Webhooks } from "./webhooks.ts";

export interface SimulatorOptions {
  readonly now?: () => Date;
  /** Turns Z-API's account token security on. Every call must then carry this token. */
  readonly zapiClientToken?: string;
  /** How long a `timeout` fault delays the answer, in milliseconds. */
  readonly timeoutHoldMs?: number;
  /** The records of an earlier run. */
  readonly history?: readonly StoreEntry[];
}

export interface Simulator {
  /** Answers every path below `/simulator`. */
  fetch(request: Request): Promise<Response>;
  readonly store: Store;
  readonly faults: FaultPlan;
  readonly webhooks: Webhooks;
  /** Ends open event streams and all waits. Call it before the server stops. */
  close(): void;
}

const maxBodyBytes = 1024 * 1024;
/** A form around the largest file. */
const maxFileBytes = maxMediaBytes + 64 * 1024;
const takesFile = /^\/simulator\/(?:files|graph\/[^/]+\/[^/]+\/media)$/;

/** Builds a simulator without faults; without a history it is empty. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const closing = new AbortController();
  const store = new Store(options.now ?? ((): Date => new Date()));
  const webhooks = new Webhooks(closing.signal);
  const simulator: SimulatorContext = {
    store,
    faults: new FaultPlan(),
    files: new FileStore(),
    connections: new Connections(
      () => store.now().getTime(),
      (provider, instance) => webhooks.phoneOf(provider, instance),
    ),
    freeEntryPoints: new FreeEntryPoints(store),
    responders: new Responders(store),
    webhooks,
    closing: closing.signal,
    timeoutHoldMs: options.timeoutHoldMs ?? 150_000,
    zapiClientToken: options.zapiClientToken,
  };
  const app = new Hono();
  const [limitBody, limitFile] = [maxBodyBytes, maxFileBytes].map((maxSize) =>
    bodyLimit({ maxSize })
  );
  app.on(
    ["POST", "PUT"],
    "/simulator/*",
    (context, next) => {
      const limit = takesFile.test(context.req.path) ? limitFile : limitBody;
      return limit?.(context, next) ?? next();
    },
  );
  // The first path level controls the simulator; the providers' own endpoints are below it.
  app.on("POST", "/simulator/:path", requireJson);
  for (const channel of channels) {
    const { provider, controls } = createChannelRoutes(channel.kind, simulator);
    app.route(`/simulator/${channel.path}`, provider);
    if (controls !== undefined) app.route("/simulator", controls);
  }
  // Windows, free entry points and charges follow from the records; what arrived then is not reported again.
  store.restore(options.history ?? []);
  reportArrivals(simulator);
  app.route("/simulator/resend", createResend(simulator));
  app.route("/simulator/ai/v1", createChatCompletions(simulator));
  app.route("/simulator", createFileApi(simulator));
  app.route("/simulator", createReadApi(simulator));
  app.route("/simulator", createPhoneApi(simulator));
  app.route("/simulator", createWebhookReceiver(simulator));
  app.notFound((context) => context.json({ error: "not_found" }, 404));
  return {
    fetch: async (request) => await app.fetch(request),
    store: simulator.store,
    faults: simulator.faults,
    webhooks: simulator.webhooks,
    close: () => closing.abort(),
  };
}
