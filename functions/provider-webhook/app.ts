import type { Context, Hono } from "hono";
import { equalInConstantTime } from "../../shared/constant_time.ts";
import type { CredentialVault } from "../../shared/credentials.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/log.ts";
import { gatewayInstanceIdOf } from "../../shared/providers/create_provider.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import { verifySignature } from "../../shared/providers/webhook_signature.ts";
import { receiveDelivery } from "./receive.ts";
import { createWebhookInstances, type WebhookInstance } from "./webhook_instances.ts";

export interface ProviderWebhookServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly log: Log;
}

/** Largest delivery in bytes (Meta, "Webhooks": payloads up to 3 MB). */
const maxDeliveryBytes = 3 * 1024 * 1024;

/** /functions/v1/provider-webhook (decisions, section 9): providers deliver their events here. */
export function createProviderWebhookApp(services: ProviderWebhookServices): Hono {
  const { database, vault, log } = services;
  const instances = createWebhookInstances(database, vault);

  /** Meta asks once whether the address is ours. */
  const verifySubscription = async (context: Context): Promise<Response> => {
    const { "hub.mode": mode, "hub.verify_token": token, "hub.challenge": challenge } = context.req
      .query();
    const instance = await instances.authenticate(
      "whatsapp_cloud",
      readParameter(context, "instanceId"),
      ({ config }) => equalInConstantTime(token ?? "", config.verifyToken),
    );
    if (instance === null || mode !== "subscribe") throw new AppError("invalid_webhook_secret");
    return context.text(challenge ?? "");
  };

  const receiveSigned = async (context: Context): Promise<Response> => {
    const body = new Uint8Array(await context.req.arrayBuffer());
    const signature = context.req.header("x-hub-signature-256");
    const instance = await instances.authenticate(
      "whatsapp_cloud",
      readParameter(context, "instanceId"),
      ({ config }) => verifySignature(body, signature, config.appSecret),
    );
    if (instance === null) throw new AppError("invalid_webhook_signature");
    return await record(context, "whatsapp_cloud", instance, body);
  };

  /** Gateways sign nothing: the secret in the path is the credential. */
  const receiveFromGateway = (provider: "zapi" | "evolution") => {
    return async (context: Context): Promise<Response> => {
      const instance = await instances.authenticate(
        provider,
        readParameter(context, "instanceId"),
        ({ config }) => equalInConstantTime(readParameter(context, "secret"), config.webhookSecret),
      );
      if (instance === null) throw new AppError("invalid_webhook_secret");
      const body = new Uint8Array(await context.req.arrayBuffer());
      return await record(context, provider, instance, body);
    };
  };

  const record = async (
    context: Context,
    provider: ProviderKind,
    { instanceId, config }: WebhookInstance<ProviderKind>,
    body: Uint8Array,
  ): Promise<Response> => {
    context.set("instanceId", instanceId);
    const gatewayInstanceId = gatewayInstanceIdOf(provider, config);
    const delivery = { provider, instanceId, gatewayInstanceId, body };
    const { recorded } = await receiveDelivery(database, delivery);
    return context.json({ success: true, recorded });
  };

  const routes: Route[] = [
    { method: "GET", path: "/whatsapp_cloud/:instanceId", handlers: [verifySubscription] },
    { method: "POST", path: "/whatsapp_cloud/:instanceId", handlers: [receiveSigned] },
    { method: "POST", path: "/zapi/:instanceId/:secret", handlers: [receiveFromGateway("zapi")] },
    // Evolution can be told to append the event's name to the address.
    {
      method: "POST",
      path: "/evolution/:instanceId/:secret/:event?",
      handlers: [receiveFromGateway("evolution")],
    },
  ];
  return createApp({ slug: "provider-webhook", log, routes, maxBodyBytes: maxDeliveryBytes });
}

function readParameter(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}
