import type { Context, Hono } from "hono";
import { equalInConstantTime } from "../../shared/constant_time.ts";
import type { CredentialVault } from "../../shared/credentials.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/log.ts";
import { gatewayInstanceIdOf } from "../../shared/providers/create_provider.ts";
import type { ProviderKind } from "../../shared/providers/provider.ts";
import { verifySignature } from "../../shared/providers/webhook_signature.ts";
import { receiveDelivery } from "./receive.ts";
import { type CheckCredential, createWebhookInstances } from "./webhook_instances.ts";

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
    const instance = await instances.authenticateFresh(
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
    const recorded = await record(
      context,
      "whatsapp_cloud",
      ({ config }) => verifySignature(body, signature, config.appSecret),
      () => Promise.resolve(body),
    );
    return recorded ?? refuse("invalid_webhook_signature");
  };

  /** Gateways sign nothing: the secret in the path is the credential. */
  const receiveFromGateway = (provider: "zapi" | "evolution") => {
    return async (context: Context): Promise<Response> => {
      const recorded = await record(
        context,
        provider,
        ({ config }) => equalInConstantTime(readParameter(context, "secret"), config.webhookSecret),
        async () => new Uint8Array(await context.req.arrayBuffer()),
      );
      return recorded ?? refuse("invalid_webhook_secret");
    };
  };

  /** Null when the call does not show the credential that the instance has at the recording. */
  const record = async <Kind extends ProviderKind>(
    context: Context,
    provider: Kind,
    check: CheckCredential<Kind>,
    readBody: () => Promise<Uint8Array>,
  ): Promise<Response | null> => {
    const reference = readParameter(context, "instanceId");
    const instance = await instances.authenticate(provider, reference, check);
    if (instance === null) return null;
    const { instanceId, sealedProviderConfig, config } = instance;
    context.set("instanceId", instanceId);
    const gatewayInstanceId = gatewayInstanceIdOf(provider, config);
    const body = await readBody();
    const delivery = { provider, instanceId, sealedProviderConfig, gatewayInstanceId, body };
    const recorded = await receiveDelivery(database, delivery);
    if (recorded !== null) return context.json({ success: true, recorded });
    instances.forget(provider, reference);
    return await record(context, provider, check, () => Promise.resolve(body));
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

function refuse(code: ErrorCode): never {
  throw new AppError(code);
}

function readParameter(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}
