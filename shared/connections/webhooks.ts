/** Where providers send the events of instances: checked, and set where the instance wants it. */
import type { WebhookState } from "../model/connection.ts";
import type { ConnectionServices, OpenedConnection } from "./open_connection.ts";
import { openConnection, requireDone } from "./open_connection.ts";
import { AppError } from "../model/errors.ts";

/** Where a provider sends an instance's events. */
export interface ShownWebhooks {
  readonly state: WebhookState;
  /** Without secrets: the origin alone of an address elsewhere. Null where it is not known, or there is none. */
  readonly url: string | null;
}

/** Asks the provider where it sends the instance's events, and records it for `health`. */
export async function checkWebhooks(
  services: ConnectionServices,
  instanceId: string,
  connection: OpenedConnection,
): Promise<ShownWebhooks> {
  const { provider, sealedProviderConfig, webhooks } = connection;
  const ownUrl = `${services.functionsUrl}/provider-webhook/${provider}/${instanceId}`;
  const shown = webhooks === null ? unknown : await look(webhooks, ownUrl);
  await services.database.rpc("note_webhooks", { instanceId, sealedProviderConfig, ...shown });
  return shown;
}

async function look(
  webhooks: NonNullable<OpenedConnection["webhooks"]>,
  ownUrl: string,
): Promise<ShownWebhooks> {
  const report = await webhooks.read(webhooks.addressOf(ownUrl));
  if (report.outcome === "failed") return unknown;
  return report.isOurs
    ? { state: "ours", url: ownUrl }
    : { state: "elsewhere", url: hideSecrets(report.url, ownUrl) };
}

const unknown: ShownWebhooks = { state: "unknown", url: null };

/** Addresses hold secrets in their paths and queries. Of another instance's the part up to its id is none. */
function hideSecrets(url: string | null, ownUrl: string): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const base = ownUrl.split("/").slice(0, -2).join("/");
  if (!url.startsWith(`${base}/`)) return new URL(url).origin;
  return url.split(/[?#]/)[0]?.split("/").slice(0, ownUrl.split("/").length).join("/") ?? null;
}

/**
 * Sets the webhooks of an instance that wants it, unless they were seen to be ours. A provider that refuses
 * stops nothing: a phone is being connected, and `health` says where events go.
 */
export async function configureWebhooks(
  services: ConnectionServices,
  instanceId: string,
  connection: OpenedConnection,
): Promise<void> {
  const { configureWebhooks: isWanted, webhooksState, webhooks, provider } = connection;
  if (!isWanted || webhooksState === "ours" || webhooks === null) return;
  const { state } = await checkWebhooks(services, instanceId, connection);
  if (state === "ours") return;
  const ownUrl = `${services.functionsUrl}/provider-webhook/${provider}/${instanceId}`;
  await webhooks.set(webhooks.addressOf(ownUrl));
  await checkWebhooks(services, instanceId, connection);
}

/**
 * Sets the webhooks of an instance now, whatever `configureWebhooks` says.
 *
 * @throws {AppError} as `openConnection`; `provider_connection_failed` with `details`.
 */
export async function setWebhooks(
  services: ConnectionServices,
  instanceId: string,
): Promise<ShownWebhooks> {
  const connection = await openConnection(services, instanceId);
  const { webhooks, provider } = connection;
  if (webhooks === null) throw new AppError("connection_not_available");
  const ownUrl = `${services.functionsUrl}/provider-webhook/${provider}/${instanceId}`;
  requireDone(await webhooks.set(webhooks.addressOf(ownUrl)));
  return await checkWebhooks(services, instanceId, connection);
}
