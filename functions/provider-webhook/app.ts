import type { Context, Hono } from "hono";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/model/errors.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import type { ProviderRegistry } from "../../shared/providers/create_registry.ts";
import type { ReceivingProvider } from "../../shared/providers/webhooks/receiving.ts";
import type { WebhookCall, WebhookHead } from "../../shared/providers/webhooks/webhook.ts";
import { receiveResponseSchema } from "./contract.ts";
import { refuseDeclaredDelivery } from "./delivery_body.ts";
import type { MediaStorage } from "../../shared/media/storage.ts";
import { EmbeddedFiles } from "./embedded_files.ts";
import { recordDelivery } from "./receive.ts";
import { type DeliveryLimits, deliveryLimits, DeliveryReceiver } from "./receive_body.ts";
import { createDeliveryRouter } from "./route_delivery.ts";
import { createWebhookInstances, type WebhookInstance } from "./webhook_instances.ts";

export interface ProviderWebhookServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly registry: ProviderRegistry<ReceivingProvider>;
  readonly storage: MediaStorage;
  readonly log: Log;
}

/** A provider decides itself what it adds to an address, and an event refused is a message lost. */
const lenient = { ignoresParameters: true } as const;

/** Largest delivery in bytes, without embedded files (Meta, "Webhooks": payloads up to 3 MB). */
const maxDeliveryBytes = 3 * 1024 * 1024;

/**
 * /functions/v1/provider-webhook (decisions, section 9): receives the events of providers, each at
 * the address that its descriptor defines.
 */
export function createProviderWebhookApp(
  services: ProviderWebhookServices,
  limits: DeliveryLimits = deliveryLimits,
): Hono {
  const { database, vault, registry, log } = services;
  const reception: Reception = {
    ...services,
    instances: createWebhookInstances(database, vault),
    routeDelivery: createDeliveryRouter(database, vault, log),
    receiver: new DeliveryReceiver(limits),
  };
  const routes = registry.providers.flatMap((provider) => listRoutes(reception, provider));
  return createApp({ slug: "provider-webhook", log, database, routes });
}

/** What one process receives deliveries with. */
interface Reception extends ProviderWebhookServices {
  readonly instances: ReturnType<typeof createWebhookInstances>;
  readonly routeDelivery: ReturnType<typeof createDeliveryRouter>;
  readonly receiver: DeliveryReceiver;
}

/** The addresses of a provider's webhooks: for its deliveries, and where it verifies the address. */
function listRoutes(reception: Reception, provider: ReceivingProvider): Route[] {
  const address = `/${provider.kind}/:instanceId`;
  const path = `${address}${provider.webhook.path}`;
  const take = (context: Context): Promise<Response> => receive(reception, provider, context);
  const verify = (context: Context): Promise<Response> =>
    verifyAddress(reception, provider, context);
  const delivery: Route = { method: "POST", path, ...lenient, handlers: [take] };
  return provider.webhook.hasChallenge
    ? [{ method: "GET", path: address, ...lenient, handlers: [verify] }, delivery]
    : [delivery];
}

/** Responds to the provider's verification of the address. */
async function verifyAddress(
  { instances }: Reception,
  provider: ReceivingProvider,
  context: Context,
): Promise<Response> {
  const query = context.req.query();
  let answer: string | null = null;
  await instances.authenticateFresh(
    provider,
    readParameter(context, "instanceId"),
    async ({ receiver }) => (answer = await receiver.answerChallenge(query)) !== null,
  );
  if (answer === null) throw new AppError("invalid_webhook_secret");
  return context.text(answer);
}

async function receive(
  reception: Reception,
  provider: ReceivingProvider,
  context: Context,
): Promise<Response> {
  const { embedsFiles, refusal, signsBody } = provider.webhook;
  const request = context.req.raw;
  const sizeLimits = { maxBytes: maxDeliveryBytes, embedsFiles };
  refuseDeclaredDelivery(request, sizeLimits);
  const head = toHead(context);
  const admitted = await reception.instances.authenticate(
    provider,
    readParameter(context, "instanceId"),
    ({ receiver }) => receiver.checkHead(head),
  );
  if (admitted === null) throw new AppError(refusal);
  const { instanceId } = admitted;
  const delivered = { reception, provider, context };
  const files = new EmbeddedFiles(reception, instanceId);
  try {
    const { sender, body, reserved } = await reception.receiver.receive(
      { request, instanceId, signsBody, sizeLimits, files },
      (whole) => findSender(delivered, { ...head, body: whole }, admitted),
    );
    try {
      const recorded = await record(delivered, { ...head, body }, sender, files);
      // The messages are recorded. The provider makes the delivery again, with the files.
      if (files.hasFailed) throw new AppError("service_unavailable");
      return answerJson(context, receiveResponseSchema, { success: true, recorded });
    } finally {
      reserved.release();
    }
  } finally {
    await files.close();
  }
}

/** A delivery under way. */
interface Delivered {
  readonly reception: Reception;
  readonly provider: ReceivingProvider;
  readonly context: Context;
}

/**
 * The instance whose current credential the whole call shows. `admitted`: the one whose credential its
 * head has shown.
 *
 * @throws {AppError} the provider's refusal.
 */
async function findSender(
  { reception: { instances }, provider, context }: Delivered,
  call: WebhookCall,
  admitted: WebhookInstance,
): Promise<WebhookInstance> {
  const instance = await instances.authenticate(
    provider,
    readParameter(context, "instanceId"),
    async (found) =>
      (found === admitted || await found.receiver.checkHead(call)) &&
      await found.receiver.checkBody(call),
  );
  if (instance === null) throw new AppError(provider.webhook.refusal);
  context.set("instanceId", instance.instanceId);
  return instance;
}

/** Returns the number of new events. */
async function record(
  delivered: Delivered,
  call: WebhookCall,
  sender: WebhookInstance,
  files: EmbeddedFiles,
): Promise<number> {
  const { reception: { database, instances, routeDelivery }, provider, context } = delivered;
  let recorded = 0;
  for (const delivery of await routeDelivery(provider, sender, call)) {
    const count = await recordDelivery(database, provider, delivery, files);
    if (count === null) {
      // The credentials were replaced meanwhile, so the call is checked again. Events that are
      // already stored count once.
      instances.forget(provider, readParameter(context, "instanceId"));
      const current = await findSender(delivered, call, sender);
      return await record(delivered, call, current, files);
    }
    recorded += count;
  }
  return recorded;
}

function toHead(context: Context): WebhookHead {
  return {
    header: (name) => context.req.header(name),
    pathParameter: (name) => readParameter(context, name),
  };
}

function readParameter(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}
