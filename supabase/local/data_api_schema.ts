import type { Sql } from "postgres";

/** A function of the schema `public`, as the Data API has read it. */
export interface ExposedFunction {
  readonly name: string;
  /** Arguments in their order, with their types in SQL. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** How many of the last parameters may be left out. */
  readonly defaults: number;
  /** STABLE or IMMUTABLE: called in a read-only transaction. */
  readonly isReadOnly: boolean;
  readonly returns: "nothing" | "value" | "row" | "rows";
}

/** Reads every function of the schema `public`. */
export async function readExposedFunctions(sql: Sql): Promise<ExposedFunction[]> {
  const [row] = await sql<{ functions: string }[]>`
    select coalesce(json_agg(f), '[]')::text as functions
    from (
      select p.proname as name, p.pronargdefaults as defaults, p.provolatile <> 'v' as "isReadOnly",
        case
          when p.proretset then 'rows'
          when p.prorettype = 'pg_catalog.void'::regtype then 'nothing'
          when t.typtype = 'c' or p.prorettype = 'pg_catalog.record'::regtype then 'row'
          else 'value'
        end as returns,
        array(
          select json_build_object(
            'name', coalesce(p.proargnames[a.place], ''), 'type', format_type(a.type, null)
          )
          from unnest(p.proargtypes::oid[]) with ordinality as a(type, place)
          order by a.place
        ) as parameters
      from pg_catalog.pg_proc p
      join pg_catalog.pg_type t on t.oid = p.prorettype
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    ) as f`;
  return JSON.parse(row?.functions ?? "[]");
}

/** Why no function was found. */
export type NoFunction = "unknown" | "ambiguous";

/** Finds the function that takes these arguments, by its name and theirs, as PostgREST does. */
export function findExposedFunction(
  functions: readonly ExposedFunction[],
  name: string,
  given: readonly string[],
): ExposedFunction | NoFunction {
  const fitting = functions.filter((candidate) =>
    candidate.name === name && takes(candidate, given)
  );
  const [first] = fitting;
  if (first === undefined) return "unknown";
  return fitting.length === 1 ? first : "ambiguous";
}

function takes({ parameters, defaults }: ExposedFunction, given: readonly string[]): boolean {
  const names = parameters.map(({ name }) => name);
  return given.every((name) => names.includes(name)) &&
    names.slice(0, names.length - defaults).every((name) => given.includes(name));
}

/**
 * The statement of a call. Its one parameter is the body as it came, so that Postgres alone reads and
 * writes its numbers. It answers one row with `body`, the result in JSON.
 */
export function writeCall(
  { name, parameters, returns }: ExposedFunction,
  given: readonly string[],
  isList: boolean,
): string {
  const used = parameters.filter((parameter) => given.includes(parameter.name));
  const list = used.map((each) => `${quote(each.name)} => given.${quote(each.name)}`).join(", ");
  const call = `public.${quote(name)}(${list})`;
  const columns = used.length === 0
    ? `"none" text`
    : used.map((each) => `${quote(each.name)} ${each.type}`).join(", ");
  const body = isList ? "($1::text::json)->0" : "$1::text::json";
  const source = `from json_to_record(${body}) as given(${columns})`;
  if (returns === "rows" || returns === "row") {
    const rows = `coalesce(json_agg(result), '[]')`;
    const result = returns === "rows" ? rows : `json_agg(result)->0`;
    return `select ${result}::text as body ${source}, lateral ${call} as result`;
  }
  return returns === "nothing"
    ? `select null as body ${source}, lateral ${call} as result`
    : `select to_json(${call})::text as body ${source}`;
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
