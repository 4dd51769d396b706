import { type Command, CommanderError } from "commander";
import { printText } from "../host/terminal.ts";

/**
 * Parses a command line. Prints help or a usage error itself.
 *
 * @returns the options, or the exit code: 0 after help, 2 after an invalid command line.
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

/** Prints a line of the command's result to standard output. */
export function print(line: string): void {
  printText(Deno.stdout, `${line}\n`);
}

/** Prints an error line to standard error. */
export function printError(line: string): void {
  printText(Deno.stderr, `${line}\n`);
}
