/** Whether calls that overlapped can have happened one after the other. */

/** A call, with what it did and was answered. Instants are of one clock. */
export interface RecordedCall<State> {
  readonly name: string;
  readonly startedAt: number;
  /** Infinity where it was not answered: it may have happened at any time since, or never. */
  readonly endedAt: number;
  /**
   * The state after it, if it happens in `state`; null where its answer is impossible there. Unanswered,
   * it is possible in every state.
   */
  readonly apply: (state: State) => State | null;
}

/**
 * Looks for an order of the calls in which each answer is right and none comes before one that had ended
 * when it began (Wing and Gong's search, with what was tried remembered).
 *
 * @param key names a state: equal states have equal keys.
 * @returns null where there is one, or the end of the longest order that is possible, with the calls that may
 * come next, none of which fits.
 */
export function findImpossible<State>(
  calls: readonly RecordedCall<State>[],
  first: State,
  key: (state: State) => string,
): string | null {
  const ordered = [...calls].sort((a, b) => a.startedAt - b.startedAt);
  const tried = new Set<string>();
  let longest: RecordedCall<State>[] = [];
  const search = (open: readonly number[], state: State, path: RecordedCall<State>[]): boolean => {
    if (path.length > longest.length) longest = path;
    if (open.every((place) => ordered[place]!.endedAt === Infinity)) return true;
    const tag = `${open.join()}|${key(state)}`;
    if (tried.has(tag)) return false;
    tried.add(tag);
    const bound = Math.min(...open.map((place) => ordered[place]!.endedAt));
    for (const place of open) {
      const call = ordered[place]!;
      if (call.startedAt > bound) break;
      const next = call.apply(state);
      const rest = open.filter((other) => other !== place);
      if (next !== null && search(rest, next, [...path, call])) return true;
    }
    return false;
  };
  if (search(ordered.map((_, place) => place), first, [])) return null;
  const left = ordered.filter((call) => !longest.includes(call));
  const bound = Math.min(...left.map(({ endedAt }) => endedAt));
  const next = left.filter(({ startedAt }) => startedAt <= bound);
  const before = longest.slice(-mostTold);
  return `${longest.length > mostTold ? "… → " : ""}${
    before.map(({ name }) => name).join(" → ")
  }; then none of ${next.map(({ name }) => name).join(", ")}`;
}

/** How many calls of such an order are named, its last ones. */
const mostTold = 20;
