/** Programs of npm packages, started by their path: npx takes a second for each call. */

/**
 * Installs a package into npm's cache.
 *
 * @param specifier with its version: `supabase@3.1.0`.
 * @param environment variables in addition to the process's.
 * @param signal ends a download that takes too long; it has failed then.
 * @returns the folder of its programs, or why npm could not install it.
 */
export async function installNpmPackage(
  specifier: string,
  environment: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<{ readonly folder: string } | { readonly failure: string }> {
  const { success, stdout, stderr } = await new Deno.Command("npx", {
    args: ["--yes", `--package=${specifier}`, "--", "node", "-p", "process.env.PATH"],
    env: { NO_COLOR: "1", ...environment },
    stdin: "null",
    ...(signal === undefined ? {} : { signal }),
  }).output();
  if (!success) return { failure: new TextDecoder().decode(stderr).trim() };
  // npx puts the folder of the package's programs first.
  const path = new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";
  return { folder: path.split(":")[0] ?? "" };
}
