/** The dispatcher in a process of its own, called as on the platform: by pg_cron, through pg_net. */

import type { Sql } from "postgres";
import { scheduleDispatcher } from "../../../supabase/deploy/dispatcher_schedule.ts";
import { platformStandIns } from "../database/platform_stand_ins.ts";
import { type CronPace, startCron, startNetWorker } from "../doubles/net_worker.ts";
import { startTestServer } from "../doubles/test_server.ts";
import { type FunctionProcess, secretKey, startFunctionProcess } from "./function_process.ts";

export interface ScheduledDispatcherOptions extends CronPace {
  /** The database, as the superuser. */
  readonly databaseUrl: string;
  readonly admin: Sql;
  /** See `FunctionProcessOptions`. */
  readonly usesDataApi?: boolean;
  /** Additional environment variables of the function. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Disposing it kills the process. */
export interface ScheduledDispatcher extends AsyncDisposable {
  readonly process: FunctionProcess;
}

const scheduleKey = "sb_secret_of_the_schedule_0123456789";
const secretKeys = { default: secretKey, cron: scheduleKey };

/** Starts it in a database that has the migrations and none of the stand-ins. */
export async function startScheduledDispatcher(
  { databaseUrl, admin, environment, usesDataApi, ...pace }: ScheduledDispatcherOptions,
): Promise<ScheduledDispatcher> {
  await using cleanup = new AsyncDisposableStack();
  const process = cleanup.use(
    await startFunctionProcess({
      slug: "dispatch-queue",
      databaseUrl,
      ...(usesDataApi === undefined ? {} : { usesDataApi }),
      environment: { SUPABASE_SECRET_KEYS: JSON.stringify(secretKeys), ...environment },
    }),
  );
  const gateway = cleanup.use(startGateway(process.url));
  await admin.unsafe(platformStandIns);
  await admin`
    insert into vault.secrets (name, decrypted_secret)
    values ('project_url', ${gateway.origin}), ('dispatcher_secret_key', ${scheduleKey})`;
  await scheduleDispatcher(databaseUrl);
  cleanup.use(startNetWorker(databaseUrl));
  cleanup.use(startCron(databaseUrl, pace));
  const keep = cleanup.move();
  return { process, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}

/** The platform's gateway: the function's path stands behind `/functions/v1`. */
function startGateway(functionUrl: string): ReturnType<typeof startTestServer> {
  return startTestServer(async (request) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace(/^\/functions\/v1\/dispatch-queue/, "");
    const { status, headers, body } = await fetch(`${functionUrl}${path}${search}`, {
      method: request.method,
      headers: request.headers,
      body: await request.text(),
    });
    return new Response(body, { status, headers });
  });
}
