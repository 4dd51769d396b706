/**
 * What providers send by name: what the readers take, and what they leave out, each with the reason. A name
 * in neither list is new: it is counted, and the payload is kept.
 */

/** The names of one provider, which stand in its folder. */
export interface KnownFields {
  readonly read: readonly string[];
  /** By name: why no event follows. */
  readonly ignored: Readonly<Record<string, string>>;
  /** The names in a payload. */
  readonly list: (payload: unknown) => readonly (string | undefined)[];
}

const MAX_UNKNOWN = 20;
/** A name becomes a metric's label: it may hold no number of a person. */
const namePattern = /^[A-Za-z._-]{1,46}\d{0,4}$/;

/** Names in a payload that are in neither list, each once, at most twenty; `other` for a strange one. */
export function listUnknownFields(
  { read, ignored, list }: KnownFields,
  payload: unknown,
): string[] {
  const unknown = list(payload).filter((name) => name !== undefined)
    .filter((name) => !read.includes(name) && !Object.hasOwn(ignored, name))
    .map((name) => namePattern.test(name) ? name : "other");
  return [...new Set(unknown)].slice(0, MAX_UNKNOWN);
}
