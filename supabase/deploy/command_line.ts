import { type Command, CommanderError } from "commander";

/**
 * Reads a command line before anything is done. Help, and what the command does not know, end it.
 *
 * @returns the options, or the exit code: 0 after help, 2 after what is no such command line.
 */
export function readCommandLine(
  command: Command,
  args: readonly string[],
): Readonly<Record<string, unknown>> | number {
  try {
    return command.exitOverride().showHelpAfterError().parse([...args], { from: "user" }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** A line for whoever reads or pipes the command's result. */
export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** A line for what went wrong. */
export function printError(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}
