/**
 * `deno task start`: the whole product on one machine, without Docker or an account.
 * `--data-api` runs the functions on the transport of the platform (supabase-js).
 */
import { ConfigError } from "../../shared/runtime/config.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { MigrationError } from "./migrations.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import { takeOverConsole } from "./request_log.ts";
import { readSettings } from "./settings.ts";
import { type Stack, startStack } from "./stack.ts";
import { StackStartError } from "./stack_start_error.ts";
import { surviveUncaughtErrors } from "./uncaught_errors.ts";

/** What a person can mend: the sentence alone is printed. */
const expectedErrors = [StackStartError, PostgresStartError, MigrationError, ConfigError];

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function describeStack({ origin, demo, keysFile, databaseDir }: Stack): string {
  return `
Messaging Integration API on ${origin}

  Console      ${origin}/
  Instance     ${demo.instanceId}
  Token        ${demo.clientToken}
  Keys         ${keysFile ?? "those of the environment"}
  Database     ${databaseDir ?? "that of DATABASE_URL"}

Send a first message; it arrives in the console:

curl -X POST ${origin}/functions/v1/send-message -H 'Content-Type: application/json' -H 'X-Client-Token: ${demo.clientToken}' -d '{"instanceId":"demo","phone":"5511988887777","messageType":"text","message":"Hello from the API"}'

Ctrl-C stops everything.
`;
}

interface Wishes {
  /** The first wish to stop. */
  readonly stop: Promise<void>;
  /** The second one: whoever asks again does not want to wait. */
  readonly hurry: Promise<void>;
}

/** From the first moment on: a signal must never leave a database without its stack behind. */
function hearSignals(): Wishes {
  const stop = Promise.withResolvers<void>();
  const hurry = Promise.withResolvers<void>();
  let count = 0;
  const hear = (): void => (++count === 1 ? stop : hurry).resolve();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, hear);
  }
  return { stop: stop.promise, hurry: hurry.promise };
}

async function runStack(): Promise<number> {
  const wishes = hearSignals();
  const requestLog = takeOverConsole({
    stdout: Deno.stdout.isTerminal(),
    stderr: Deno.stderr.isTerminal(),
  });
  surviveUncaughtErrors(consoleLog);
  let stack: Stack;
  try {
    stack = await startStack(readSettings(Deno.env.toObject(), Deno.args));
  } catch (error) {
    const isExpected = expectedErrors.some((expected) => error instanceof expected);
    print(isExpected ? (error as Error).message : Deno.inspect(error));
    return 1;
  }
  print(describeStack(stack));
  requestLog.open();
  const reason = await Promise.race([
    wishes.stop.then(() => "asked" as const),
    stack.failed.then(() => "failed" as const),
  ]);
  print(reason === "asked" ? "Stopping." : "The database has ended by itself; stopping.");
  await stack.stop(wishes.hurry);
  return reason === "asked" ? 0 : 1;
}

Deno.exit(await runStack());
