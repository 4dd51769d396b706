import { createClientToken } from "../../shared/crypto/client_token.ts";
import type { TokenRecord } from "../../shared/model/tenant_records.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { Recorded } from "../../shared/idempotency/recorded_call.ts";
import type { InstanceServices } from "./instances.ts";
import { type TokenScope, tokenScopes } from "../../shared/model/token_scope.ts";
import { executeOnce } from "./record_calls.ts";
import type { CreateTokenRequest } from "./resources/tokens.ts";

/**
 * Issues a further token of an instance. Only this response contains the token. The database stores
 * its hash and, for a call with an `Idempotency-Key`, a sealed copy, so that a repeated call
 * returns the same token.
 *
 * @throws {AppError} `Instance not found`.
 */
export async function issueClientToken(
  { database, vault }: InstanceServices,
  instanceId: string,
  request: CreateTokenRequest,
  idempotency: Idempotency | null,
): Promise<Recorded<TokenRecord & { readonly token: string }>> {
  const tokenId = crypto.randomUUID();
  const { token, tokenHash } = await createClientToken();
  const created = await executeOnce(database.rpc("create_client_token", {
    ...request,
    scopes: narrowScopes(request.scopes),
    tokenId,
    instanceId,
    tokenHash,
    sealedToken: idempotency === null ? null : await vault.seal(token, tokenId),
    idempotency,
  }));
  if (!created.isReplay) return { ...created, outcome: { ...created.outcome, token } };
  const { sealedToken, ...record } = created.outcome;
  const firstToken = await vault.open<string>(String(sealedToken), record.tokenId);
  return { ...created, outcome: { ...record, token: firstToken } };
}

/** Null for every scope, so that the token has those of later releases too. */
function narrowScopes(
  scopes: readonly TokenScope[] | null | undefined,
): readonly TokenScope[] | null {
  return !scopes || scopes.length === tokenScopes.length ? null : scopes;
}
