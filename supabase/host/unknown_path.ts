const prefix = "/functions/v1";

/**
 * What a 404 says of a path that no part of the server has: the path that the caller probably means,
 * where it names a function. The rest of the path is not repeated, because it may hold a secret.
 *
 * @param slugs the functions' names; none while they are not loaded.
 */
export function describeUnknownPath(pathname: string, slugs: readonly string[]): string {
  const parts = pathname.split("/").filter((part) => part !== "");
  const named = parts.find((part) => slugs.includes(part));
  if (named !== undefined) {
    return `There is nothing at this path: ${named} is at ${prefix}/${named}. Check the prefix ${prefix}.`;
  }
  const resource = parts.find((part) => slugs.includes(`${part}-api`));
  if (resource !== undefined) {
    const slug = `${resource}-api`;
    return `There is nothing at this path: ${resource} belong to ${slug}, at ${prefix}/${slug}.`;
  }
  return `There is nothing at this path. The functions are below ${prefix}/; ${prefix}/api-docs lists them.`;
}
