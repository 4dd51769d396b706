import type { Context, Hono } from "hono";
import { equalInConstantTime } from "../../shared/crypto/constant_time.ts";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import { AppError, type ErrorCode } from "../../shared/model/errors.ts";
import { createApp, type Route } from "../../shared/http/create_app.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { gatewayInstanceIdOf } from "../../shared/providers/registry.ts";
import type { ProviderKind } from "../../shared/model/provider_kind.ts";
import { verifySignature } from "../../shared/providers/webhooks/signature.ts";
import { readDeliveryBody, stripFiles } from "./delivery_body.ts";
import { type Delivery, parseDelivery, recordDelivery } from "./receive.ts";
import { createDeliveryRouter } from "./route_delivery.ts";
import {
  type CheckCredential,
  createWebhookInstances,
  type WebhookInstance,
} from "./webhook_instances.ts";

export interface ProviderWebhookServices {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly log: Log;
}

/** Largest delivery in bytes, files left out (Meta, "Webhooks": payloads up to 3 MB). */
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

  const routeDelivery = createDeliveryRouter(database, vault, log);

  const receiveSigned = async (context: Context): Promise<Response> => {
    const body = await readDeliveryBody(context.req.raw, maxDeliveryBytes);
    const signature = context.req.header("x-hub-signature-256");
    const recorded = await record(
      context,
      "whatsapp_cloud",
      ({ config }) => verifySignature(body, signature, config.appSecret),
      (receiver) => routeDelivery(receiver, { body, signature }),
    );
    return recorded ?? refuse("invalid_webhook_signature");
  };

  /** Gateways sign nothing: the secret in the path is the credential. */
  const receiveFromGateway = (provider: "zapi" | "evolution") => {
    return async (context: Context): Promise<Response> => {
      const body = await readDeliveryBody(context.req.raw, maxDeliveryBytes, stripFiles);
      const recorded = await record(
        context,
        provider,
        ({ config }) => equalInConstantTime(readParameter(context, "secret"), config.webhookSecret),
        ({ instanceId, sealedProviderConfig, config }) => {
          const gatewayInstanceId = gatewayInstanceIdOf(provider, config);
          const receiver = { provider, instanceId, sealedProviderConfig, gatewayInstanceId };
          return Promise.resolve([{ ...receiver, ...parseDelivery(body) }]);
        },
      );
      return recorded ?? refuse("invalid_webhook_secret");
    };
  };

  /** Null when the call does not show the credential that the instance has at the recording. */
  const record = async <Kind extends ProviderKind>(
    context: Context,
    provider: Kind,
    check: CheckCredential<Kind>,
    readDeliveries: (receiver: WebhookInstance<Kind>) => Promise<readonly Delivery[]>,
  ): Promise<Response | null> => {
    const reference = readParameter(context, "instanceId");
    const instance = await instances.authenticate(provider, reference, check);
    if (instance === null) return null;
    context.set("instanceId", instance.instanceId);
    let recorded = 0;
    for (const delivery of await readDeliveries(instance)) {
      const count = await recordDelivery(database, delivery);
      if (count === null) {
        // Credentials were replaced meanwhile: all is checked anew, and what is stored counts once.
        instances.forget(provider, reference);
        return await record(context, provider, check, readDeliveries);
      }
      recorded += count;
    }
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
  return createApp({ slug: "provider-webhook", log, routes, maxBodyBytes: null });
}

function refuse(code: ErrorCode): never {
  throw new AppError(code);
}

function readParameter(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}
