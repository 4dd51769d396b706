import { join } from "node:path";

/**
 * Arguments of Deno for a task of a checkout. Run directly, so that the process id is the
 * program's.
 */
export function readTaskArguments(folder: string, task: "start" | "serve"): string[] {
  const text = Deno.readTextFileSync(join(folder, "deno.json"));
  const { tasks }: { tasks: Record<string, string> } = JSON.parse(text);
  const [program, ...args] = tasks[task]?.split(" ") ?? [];
  if (program !== "deno") throw new Error(`the task ${task} does not run deno`);
  return args;
}
