import { createConnectionToken } from "../../shared/crypto/client_token.ts";
import { type ConnectionServices, openPairing } from "../../shared/connections/open_connection.ts";
import type { ConnectionLinkRecord } from "../../shared/database/rpcs/tenancy.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { Recorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import { executeOnce } from "./record_calls.ts";
import type { CreateConnectionLinkRequest } from "./resources/connection_link.ts";

export interface ConnectionLinkServices extends ConnectionServices {
  /** The address of the page; null where the platform serves no HTML and none is named. */
  readonly connectPageUrl: string | null;
}

/** A link with its address. */
export interface CreatedLink extends Pick<ConnectionLinkRecord, "linkId" | "expiresAt"> {
  readonly url: string;
}

/**
 * Makes a link to the page that connects an instance's phone. Only this response contains its address. Its
 * token follows `#`, so that no server and no preview of a chat sees it.
 *
 * @throws {AppError} `Instance not found`; `connection_not_available` where the number is connected
 * elsewhere; `connection_page_not_served` where there is no page to lead to.
 */
export async function createConnectionLink(
  services: ConnectionLinkServices,
  instanceId: string,
  request: CreateConnectionLinkRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<CreatedLink>> {
  const { database, vault, connectPageUrl } = services;
  await openPairing(services, instanceId);
  if (connectPageUrl === null) throw new AppError("connection_page_not_served");
  const linkId = crypto.randomUUID();
  const { token, tokenHash } = await createConnectionToken();
  const created = await executeOnce(database.rpc("create_connection_link", {
    ...{ linkId, instanceId, tokenHash, expiresInMinutes: request.expiresInMinutes },
    language: request.language ?? null,
    sealedToken: idempotency === null ? null : await vault.seal(token, linkId),
    idempotency,
  }));
  const { outcome } = created;
  const usedToken = created.isReplay
    ? await vault.open<string>(String(outcome.sealedToken), outcome.linkId)
    : token;
  return {
    ...created,
    outcome: {
      linkId: outcome.linkId,
      expiresAt: outcome.expiresAt,
      url: `${connectPageUrl}#${usedToken}`,
    },
  };
}
