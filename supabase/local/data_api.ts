import { equalInConstantTime } from "../../shared/crypto/constant_time.ts";
import { openPrimaryHost } from "../../shared/database/primary_host.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { SchemaCache } from "./data_api_cache.ts";
import { executeCall, readCall } from "./data_api_calls.ts";
import { type DataApiFault, toErrorAnswer } from "./data_api_error.ts";
import { SessionPool } from "./data_api_sessions.ts";

export interface DataApi {
  /** Answers `/rest/v1/rpc/<function>` as PostgREST does. */
  fetch(request: Request): Promise<Response>;
  /** Closes the database connections. */
  close(): Promise<void>;
}

/** Sizes and times of a Data API. */
export interface DataApiOptions {
  /** PostgREST's own default is 10. The platform's pool grows with the compute size. */
  readonly maxConnections?: number;
  /** How long a call waits for a connection. */
  readonly acquireTimeoutMs?: number;
  /** How long the schema is unknown after the database was lost. */
  readonly recoveryMs?: number;
}

/**
 * Opens what stands in for PostgREST 14, so that the functions can use the same transport as on the
 * platform. It knows calls of SQL functions by POST, which is all that they use, and fails in the ways
 * in which PostgREST 14.17 was seen to fail.
 */
export function openDataApi(
  databaseUrl: string,
  secretKey: string,
  options: DataApiOptions = {},
): DataApi {
  const { maxConnections = 10, acquireTimeoutMs = 10_000 } = options;
  const primary = openPrimaryHost(databaseUrl);
  const sessions = new SessionPool(primary, { maxConnections, acquireTimeoutMs });
  const recoveryMs = options.recoveryMs ?? measuredRecoveryMs(maxConnections);
  const schema = new SchemaCache(primary, recoveryMs);
  return {
    fetch: async (request) => {
      if (!await equalInConstantTime(request.headers.get("apikey") ?? "", secretKey)) {
        return Response.json({ message: "Invalid API key" }, { status: 401 });
      }
      try {
        const call = await readCall(request);
        return await executeCall(call, await schema.functions(), sessions);
      } catch (error) {
        const answer = toErrorAnswer(error);
        logRejection(error);
        return answer;
      }
    },
    close: async () => {
      await Promise.all([sessions.close(), schema.close()]);
      await primary.close();
    },
  };
}

/** The code alone: a message may hold a phone number. */
function logRejection(error: unknown): void {
  const { code } = error as DataApiFault;
  consoleLog.info("data_api_call_rejected", { code });
}

/** Measured on PostgREST with pools of 2, 10 and 20 connections: 0.1, 15 and 32 s. */
function measuredRecoveryMs(maxConnections: number): number {
  return Math.max(100, 100 + (maxConnections - 2) * 1_780);
}
