import { AdminApiError } from "./admin_api.ts";
import type { FieldOption } from "./resource_options.ts";

/** Sources of values that are too long or too sensitive for a command line. */
export interface ValueSources {
  readonly readFile: (path: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
}

type FieldReading = Pick<FieldOption, "flag" | "name" | "kind">;

/**
 * Reads the request's fields from a command's options. Omits absent options.
 *
 * @throws {AdminApiError} for invalid JSON in an option that takes JSON, and for a missing file.
 */
export async function readFields(
  sources: ValueSources,
  fields: readonly FieldReading[],
  options: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const text = options[toOptionName(field.flag)];
    if (typeof text === "string") body[field.name] = await readValue(sources, field, text);
  }
  return body;
}

/** Commander names the option `--connected-phone <digits>` `connectedPhone`. */
function toOptionName(flag: string): string {
  return (flag.split(" ")[0] ?? "").slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

async function readValue(
  sources: ValueSources,
  { flag, kind }: FieldReading,
  text: string,
): Promise<unknown> {
  switch (kind) {
    case "text":
      return text;
    case "nullable text":
      return text === "null" ? null : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "number":
      return text === "null" ? null : Number(text);
    case "json":
      return parseJson(flag, await readText(sources, text));
  }
}

async function readText(
  { readFile, readStdin }: ValueSources,
  text: string,
): Promise<string> {
  if (text === "-") return await readStdin();
  if (!text.startsWith("@")) return text;
  try {
    return await readFile(text.slice(1));
  } catch {
    throw new AdminApiError(`The file ${text.slice(1)} cannot be read.`);
  }
}

/** Parses JSON. The error omits the text, because it may hold a credential. */
function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AdminApiError(`${flag.split(" ")[0]} is not JSON.`);
  }
}
