/** Which functions of the database call which, by their texts. */

import type { Sql } from "postgres";

interface Routine {
  readonly name: string;
  readonly source: string;
  /** Postgres puts it into the statement that calls it, and counts no call. */
  readonly isInlined: boolean;
}

export interface Callers {
  /** The functions whose counted calls show that this one was reached, itself included. */
  shownBy(name: string): ReadonlySet<string>;
  /** Every function that leads to it, itself included. */
  leadingTo(name: string): ReadonlySet<string>;
}

/** Reads the functions of a database. */
export async function readCallers(sql: Sql): Promise<Callers> {
  return findCallers(
    await sql<Routine[]>`
      select n.nspname || '.' || p.proname as name,
        coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as source,
        l.lanname = 'sql' and p.proconfig is null as "isInlined"
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      join pg_language l on l.oid = p.prolang
      where n.nspname in ('messaging', 'public') and p.prokind <> 'a'`,
  );
}

/** The same of given texts. */
export function findCallers(routines: readonly Routine[]): Callers {
  const known = new Map(routines.map((routine) => [routine.name, routine]));
  const callers = new Map<string, Set<string>>();
  for (const { name, source } of routines) {
    for (const [called] of source.matchAll(/\b(?:messaging|public)\.\w+(?=\s*\()/g)) {
      if (!known.has(called) || called === name) continue;
      callers.set(called, (callers.get(called) ?? new Set()).add(name));
    }
  }
  const follow = (name: string, passes: (name: string) => boolean): ReadonlySet<string> => {
    const reached = new Set([name]);
    for (const next of reached) {
      if (!passes(next)) continue;
      for (const caller of callers.get(next) ?? []) reached.add(caller);
    }
    return reached;
  };
  return {
    shownBy: (name) => follow(name, (next) => known.get(next)?.isInlined === true),
    leadingTo: (name) => follow(name, () => true),
  };
}
