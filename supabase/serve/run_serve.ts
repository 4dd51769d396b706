import { ConfigError } from "../../shared/runtime/config.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { MigrationError } from "../host/migration_files.ts";
import { awaitPrimary } from "../host/primary_start.ts";
import { StartError } from "../host/start_error.ts";
import { printText } from "../host/terminal.ts";
import { logUncaughtErrors } from "../host/uncaught_errors.ts";
import { readServeCommand } from "./arguments.ts";
import { checkDatabase, migrateDatabase } from "./database_state.ts";
import { sendHeartbeats } from "./heartbeats.ts";
import { hearParent } from "./parent_words.ts";
import { runProcesses } from "./processes.ts";
import { openService, type Service, type ServiceOptions } from "./service.ts";
import { readDatabaseUrl, readServeSettings, type ServeSettings } from "./settings.ts";
import { killAfterMs, startStopWatchdog } from "./stop_watchdog.ts";

/** Errors that a person can fix. Only their message is printed, without a stack trace. */
const expectedErrors = [StartError, MigrationError, ConfigError];

/**
 * Does what the command line says, with the environment of this process.
 *
 * @returns the exit code: 0 after a signal, or a migration; 1 when it could not start.
 */
export async function runServe(args: readonly string[]): Promise<number> {
  const stopping = listenForStop();
  try {
    const command = readServeCommand(args);
    const environment = Deno.env.toObject();
    const findPrimary = (databaseUrl: string): Promise<string | null> =>
      awaitPrimary(databaseUrl, (sentence) => print(Deno.stderr, sentence), stopping);
    if (command.name === "migrate") {
      const primaryUrl = await findPrimary(readDatabaseUrl(environment));
      if (primaryUrl !== null) await migrate(primaryUrl, command.contract);
      return 0;
    }
    const settings = readServeSettings(environment);
    if (command.name === "work") {
      await work(settings, command, command.heartbeatPort, stopping);
      return 0;
    }
    const primaryUrl = await findPrimary(settings.databaseUrl);
    if (primaryUrl === null) return 0;
    await checkDatabase(primaryUrl);
    if (command.processes === 1) await serve(settings, command, stopping);
    else await runProcesses(command, settings, stopping);
    return 0;
  } catch (error) {
    const isExpected = expectedErrors.some((expected) => error instanceof expected);
    print(Deno.stderr, isExpected ? (error as Error).message : Deno.inspect(error));
    return 1;
  }
}

async function serve(
  settings: ServeSettings,
  options: ServiceOptions,
  stopping: Promise<void>,
): Promise<void> {
  // Of several processes the one that has started them takes care.
  startStopWatchdog(killAfterMs);
  const service = openService(settings, options);
  service.listen();
  await run(service, stopping);
}

/** One of several processes: listens when the one that started it says so, and ends with it. */
async function work(
  settings: ServeSettings,
  options: ServiceOptions,
  heartbeatPort: number,
  stopping: Promise<void>,
): Promise<void> {
  const service = openService(settings, options);
  const parentEnds = hearParent((word) => service[word]());
  // When it is loaded, which may take its whole time for a while.
  const heartbeats = service.start().then(() => sendHeartbeats(heartbeatPort));
  heartbeats.catch(() => {});
  await run(service, Promise.race([stopping, parentEnds]));
  await heartbeats.then(({ close }) => close(), () => {});
}

async function run(service: Service, stopping: Promise<void>): Promise<void> {
  logUncaughtErrors(consoleLog);
  // A failure of either ends the process.
  await Promise.race([service.start(), stopping]);
  await stopping;
  await service.stop();
}

async function migrate(databaseUrl: string, contract: boolean): Promise<void> {
  const { applied, waiting } = await migrateDatabase(databaseUrl, contract);
  const sentence = applied.length === 0 ? "Nothing to apply." : "Applied:";
  print(Deno.stdout, [sentence, ...applied].join("\n  "));
  if (waiting.length === 0) return;
  print(
    Deno.stdout,
    [
      "Left for `deno task serve migrate --contract`, when no former version runs any more:",
      ...waiting,
    ].join("\n  "),
  );
}

/** Resolves at the first signal. */
function listenForStop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => resolve());
  }
  return promise;
}

function print(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  printText(stream, `${text}\n`);
}
