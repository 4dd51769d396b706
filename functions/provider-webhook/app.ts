import type { Context, Handler, Hono } from "hono";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { Bytes } from "../../shared/model/bytes.ts";
import { AppError } from "../../shared/model/errors.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import type { ProviderRegistry } from "../../shared/providers/create_registry.ts";
import type { ReceivingProvider } from "../../shared/providers/webhooks/receiving.ts";
import type { WebhookCall } from "../../shared/providers/webhooks/webhook.ts";
import type { ReceiveResponse } from "./contract.ts";
import { readDeliveryBody, stripFiles } from "./delivery_body.ts";
import { recordDelivery } from "./receive.ts";
import { createDeliveryRouter } from "./route_delivery.ts";
import { createWebhookInstances } from "./webhook_instances.ts";

export interface ProviderWebhookServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly registry: ProviderRegistry<ReceivingProvider>;
  readonly log: Log;
}

/** Largest delivery in bytes, without embedded files (Meta, "Webhooks": payloads up to 3 MB). */
const maxDeliveryBytes = 3 * 1024 * 1024;

/**
 * /functions/v1/provider-webhook (decisions, section 9): receives the events of providers, each at
 * the address that its descriptor defines.
 */
export function createProviderWebhookApp(services: ProviderWebhookServices): Hono {
  const { database, vault, registry, log } = services;
  const instances = createWebhookInstances(database, vault);
  const routeDelivery = createDeliveryRouter(database, vault, log);

  /** Responds to the provider's verification of the address. */
  const verifyAddress = (provider: ReceivingProvider): Handler => async (context) => {
    const query = context.req.query();
    let answer: string | null = null;
    await instances.authenticateFresh(
      provider,
      readParameter(context, "instanceId"),
      async ({ receiver }) => (answer = await receiver.answerChallenge(query)) !== null,
    );
    if (answer === null) throw new AppError("invalid_webhook_secret");
    return context.text(answer);
  };

  const receive = (provider: ReceivingProvider): Handler => async (context) => {
    const { embedsFiles, refusal } = provider.webhook;
    const transform = embedsFiles ? stripFiles : undefined;
    const body = await readDeliveryBody(context.req.raw, maxDeliveryBytes, transform);
    const recorded = await record(context, provider, toCall(context, body));
    if (recorded === null) throw new AppError(refusal);
    return answerJson<ReceiveResponse>(context, { success: true, recorded });
  };

  /**
   * Returns the number of new events; null when the call lacks the instance's current credential.
   */
  const record = async (
    context: Context,
    provider: ReceivingProvider,
    call: WebhookCall,
  ): Promise<number | null> => {
    const reference = readParameter(context, "instanceId");
    const instance = await instances.authenticate(
      provider,
      reference,
      ({ receiver }) => receiver.authenticate(call),
    );
    if (instance === null) return null;
    context.set("instanceId", instance.instanceId);
    let recorded = 0;
    for (const delivery of await routeDelivery(provider, instance, call)) {
      const count = await recordDelivery(database, provider, delivery);
      if (count === null) {
        // The credentials were replaced meanwhile, so the call is checked again. Events that are
        // already stored count once.
        instances.forget(provider, reference);
        return await record(context, provider, call);
      }
      recorded += count;
    }
    return recorded;
  };

  const routes = registry.providers.flatMap((provider): Route[] => {
    const address = `/${provider.kind}/:instanceId`;
    const path = `${address}${provider.webhook.path}`;
    const delivery: Route = { method: "POST", path, handlers: [receive(provider)] };
    return provider.webhook.hasChallenge
      ? [{ method: "GET", path: address, handlers: [verifyAddress(provider)] }, delivery]
      : [delivery];
  });
  return createApp({ slug: "provider-webhook", log, routes });
}

function toCall(context: Context, body: Bytes): WebhookCall {
  return {
    body,
    header: (name) => context.req.header(name),
    pathParameter: (name) => readParameter(context, name),
  };
}

function readParameter(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}
