import { createTokenHasher } from "../crypto/token_hash_cache.ts";
import { StaleAuthenticationError } from "../messages/accept.ts";
import type { Database } from "../database/database.ts";
import { provesRollback } from "../database/sqlstates.ts";
import { AppError } from "../model/errors.ts";
import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientContext,
  readTokenHash,
  setClient,
} from "./client_token_guard.ts";
import { type JsonObject, readJsonBody } from "./json_body.ts";
import { applyRateLimit } from "./rate_limit.ts";
import { RememberedClients } from "./remembered_clients.ts";

type SendingHandler = (context: ClientContext) => Promise<Response>;

/**
 * Requires a valid client token, as `createClientTokenGuard` does, for a handler that records a call
 * with `context.get("authentication")`. A client that this process has authenticated before costs no
 * round trip of its own: the call is prepared with what is remembered of the client, and the
 * transaction that records the call checks the token, the instance's version and the rate limit before
 * anything is sent.
 *
 * A fault of such a call, or a failed check, makes it start again with the authentication, as a call of
 * an unknown client does. So the answer is the same: 401 and 429 before faults of the body, and a changed
 * instance is read anew.
 */
export function guardSending(
  database: Database,
  handle: SendingHandler,
  clients: RememberedClients = new RememberedClients(),
): SendingHandler {
  const hashToken = createTokenHasher();
  return async (context) => {
    const tokenHash = await readTokenHash(context, hashToken);
    let body: Promise<JsonObject> | undefined;
    const readBody = (): Promise<JsonObject> => body ??= readJsonBody(context);
    const known = clients.recall(tokenHash);
    if (known !== null) {
      const call = { tokenHash, client: known, readBody, handle };
      const response = await tryRemembered(context, database, call);
      if (response !== null) return response;
      clients.forget(tokenHash);
    }
    const client = await authenticateClient(context, database, tokenHash);
    clients.remember(tokenHash, client);
    const received = await readBody();
    setClient(context, client, received, received);
    context.set("authentication", null);
    return await handle(context);
  };
}

interface RememberedCall {
  readonly tokenHash: string;
  readonly client: AuthenticatedClient;
  readonly readBody: () => Promise<JsonObject>;
  readonly handle: SendingHandler;
}

/** @returns null where the call was not recorded, and must start with the authentication. */
async function tryRemembered(
  context: ClientContext,
  database: Database,
  { tokenHash, client, readBody, handle }: RememberedCall,
): Promise<Response | null> {
  let isRecorded = false;
  let isRefused = false;
  context.set("owner", client.instance.instanceId);
  try {
    const body = await readBody();
    setClient(context, client, body, body);
    context.set("authentication", {
      tokenHash,
      functionName: context.get("functionName"),
      instanceVersion: client.instanceVersion,
      confirm: (rateLimit) => {
        isRecorded = true;
        applyRateLimit(context, rateLimit);
      },
      refuse: () => {
        isRefused = true;
      },
    });
    const response = await handle(context);
    return isRecorded ? response : null;
  } catch (error) {
    if (isRecorded || !provesNothingRecorded(error)) throw error;
    if (!isRefused) return null;
    // A refusal counts against the rate limit, which its transaction has not recorded.
    await authenticateClient(context, database, tokenHash);
    throw error;
  }
}

/**
 * Whether the call has left nothing behind. After a time-out or a lost connection it may have been
 * recorded. A database that is too busy for the call gets no second one either.
 */
function provesNothingRecorded(error: unknown): boolean {
  if (error instanceof AppError && error.code === "service_unavailable") return false;
  return error instanceof StaleAuthenticationError || provesRollback(error);
}
