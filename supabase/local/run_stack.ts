/** Runs the local stack until a signal, and tells the person at the terminal about it. */
import { version } from "../../shared/model/version.ts";
import { ConfigError } from "../../shared/runtime/config.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import type { DatabaseUpgrade } from "../host/database_upgrade.ts";
import { MigrationError } from "../host/migration_files.ts";
import { PostgresStartError } from "./postgres_start_error.ts";
import { interceptConsole } from "./request_log.ts";
import { readSettings } from "./settings.ts";
import { type Stack, startStack } from "./stack.ts";
import { StartError } from "../host/start_error.ts";
import { printText } from "../host/terminal.ts";
import { logUncaughtErrors } from "../host/uncaught_errors.ts";

/** Errors that a person can fix. Only their message is printed, without a stack trace. */
const expectedErrors = [StartError, PostgresStartError, MigrationError, ConfigError];

function print(text: string): void {
  printText(Deno.stdout, `${text}\n`);
}

function describeStack({ origin, demo, keysFile, databaseDir }: Stack): string {
  return `
Messaging Integration API ${version} on ${origin}

  Console      ${origin}/
  Instance     ${demo.instanceId}
  Token        ${demo.clientToken}
  Keys         ${keysFile ?? "from the environment"}
  Database     ${databaseDir ?? "DATABASE_URL"}

Send a first message; it arrives in the console:

curl -X POST ${origin}/functions/v1/send-message -H 'Content-Type: application/json' -H 'X-Client-Token: ${demo.clientToken}' -d '{"instanceId":"demo","phone":"5511988887777","messageType":"text","message":"Hello from the API"}'

${describeMcp(`${origin}/functions/v1/mcp`, demo.clientToken)}

Ctrl-C stops everything.
`;
}

/** How AI clients are given the tools of the demo instance: two commands, and Cursor's file. */
function describeMcp(url: string, token: string): string {
  const server = { url, headers: { "X-Client-Token": token } };
  const forVsCode = JSON.stringify({ name: "messaging", type: "http", ...server });
  const forCursor = JSON.stringify({ mcpServers: { messaging: server } });
  return `Give an AI client the demo's tools (docs/clients.md):

claude mcp add --transport http messaging ${url} --header 'X-Client-Token: ${token}'
code --add-mcp '${forVsCode}'
Cursor, in .cursor/mcp.json: ${forCursor}`;
}

function describeUpgrade({ from, to, migrations }: DatabaseUpgrade): string {
  const lines = [
    `The data was of version ${from} and is upgraded to ${to}. Applied:`,
    ...migrations,
  ];
  return lines.join("\n  ");
}

interface ShutdownSignals {
  /** Resolves at the first signal: the stack stops gracefully. */
  readonly first: Promise<void>;
  /** Resolves at the second signal: the stack stops without waiting for requests. */
  readonly second: Promise<void>;
}

/** Call this before anything starts: an unhandled signal would leave the database running alone. */
function listenForShutdown(): ShutdownSignals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const listener = (): void => (++count === 1 ? first : second).resolve();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, listener);
  }
  return { first: first.promise, second: second.promise };
}

/**
 * Runs the stack with the environment and arguments of this process.
 *
 * @returns the exit code, after a signal, or when the stack could not start.
 */
export async function runStack(): Promise<number> {
  const signals = listenForShutdown();
  const requestLog = interceptConsole({
    stdout: Deno.stdout.isTerminal(),
    stderr: Deno.stderr.isTerminal(),
  });
  logUncaughtErrors(consoleLog);
  let stack: Stack;
  try {
    const settings = readSettings(Deno.env.toObject(), Deno.args);
    stack = await startStack(settings, {
      onUpgrade: (upgrade) => print(describeUpgrade(upgrade)),
      onWait: print,
      stopping: signals.first,
    });
  } catch (error) {
    const isExpected = expectedErrors.some((expected) => error instanceof expected);
    print(isExpected ? (error as Error).message : Deno.inspect(error));
    return 1;
  }
  print(describeStack(stack));
  requestLog.open();
  const reason = await Promise.race([
    signals.first.then(() => "signal" as const),
    stack.failed.then(() => "failure" as const),
  ]);
  print(reason === "signal" ? "Stopping." : "The database has stopped unexpectedly. Stopping.");
  await stack.stop(signals.second);
  return reason === "signal" ? 0 : 1;
}
