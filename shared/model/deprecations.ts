import type { HttpMethod } from "./http_method.ts";

/**
 * What of the contract is to go. The only list of it: the headers `Deprecation` and `Sunset`, `deprecated`
 * in the document, in the client and in the reference, the counts of `metrics` and docs/versions.md follow
 * from it. A test holds an entry to the policy of that page.
 */
export interface Deprecation {
  readonly method: HttpMethod;
  /** The function's name. */
  readonly function: string;
  /** As in its routes: `/` is the function itself. */
  readonly path: string;
  /** A field of the body or a parameter of the query; absent where the whole operation is to go. */
  readonly member?: string;
  /** The day of the release that says so, `YYYY-MM-DD`. */
  readonly since: string;
  /** The first day on which it may be gone, at least 12 months later. */
  readonly until: string;
  /** What to do instead, as a sentence. */
  readonly instead: string;
}

/** Nothing is to go at present. */
export const deprecations: readonly Deprecation[] = [];

/** Its name in metrics, the page and the changelog: `POST send-message: cardId`. */
export function nameDeprecation({ method, function: slug, path, member }: Deprecation): string {
  const operation = `${method} ${slug}${path === "/" ? "" : path}`;
  return member === undefined ? operation : `${operation}: ${member}`;
}

/** The entries of an operation. */
export function findDeprecations(
  entries: readonly Deprecation[],
  slug: string,
  { method, path }: Pick<Deprecation, "method" | "path">,
): readonly Deprecation[] {
  return entries.filter((entry) =>
    entry.function === slug && entry.method === method && entry.path === path
  );
}
