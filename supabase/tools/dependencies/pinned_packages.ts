/** Finds the npm packages that files pin to a version, in each of the forms that the repository uses. */

/** A package at a version, as a file names it. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  readonly path: string;
}

/** The packages of constants that hold a version alone: `const cliVersion = "3.1.0"`. */
const constants: Readonly<Record<string, string>> = {
  bunVersion: "bun",
  cliVersion: "supabase",
  hostedVersion: "deno",
  n8nVersion: "n8n",
  nodeVersion: "node",
  viewerVersion: "@scalar/api-reference",
  workerdVersion: "workerd",
};

const version = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?`;
/** `name@1.2.3`; `user@127.0.0.1` is an address, and `_peer@1.2.3` is a key of a lock file. */
const specifier = new RegExp(
  String.raw`(?<![\w@.~-])((?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*)@(${version})(?![\w.]|\.\d)`,
  "g",
);
const constant = new RegExp(String.raw`\bconst (\w+Version) = "(${version})"`, "g");
const exactVersion = new RegExp(`^${version}$`);

/**
 * Reads the pins of a file: of a manifest its dependencies, else every `name@version` outside comments. Of
 * deno.json the tasks: what else it names follows deno.lock.
 */
export function readPins(path: string, text: string): Pin[] {
  const found = path.endsWith("package.json")
    ? readManifest(text)
    : readText(path, path === "deno.json" ? JSON.stringify(JSON.parse(text).tasks) : text);
  const unique = new Map(found.map(([name, at]) => [`${name}@${at}`, { name, version: at, path }]));
  return [...unique.values()];
}

/** The constants of a file that hold a version and whose package is not known here. */
export function findUnknownConstants(text: string): string[] {
  return Array.from(text.matchAll(constant), ([, name = ""]) => name)
    .filter((name) => !Object.hasOwn(constants, name));
}

type NamedVersion = readonly [name: string, version: string];

function readManifest(text: string): NamedVersion[] {
  const manifest: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = JSON
    .parse(text);
  return ["dependencies", "devDependencies", "optionalDependencies"]
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, at]) => exactVersion.test(at));
}

function readText(path: string, text: string): NamedVersion[] {
  const code = path.endsWith(".ts") ? withoutComments(text) : text;
  const specifiers = Array.from(
    code.matchAll(specifier),
    ([, name = "", at = ""]) => [name, at] as const,
  );
  const alone = Array.from(
    code.matchAll(constant),
    ([, name = "", at = ""]) => [constants[name] ?? "", at] as const,
  ).filter(([name]) => name !== "");
  return [...specifiers, ...alone];
}

function withoutComments(text: string): string {
  return text.split("\n").filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line)).join("\n");
}
