import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";

/**
 * The files of `Rpcs`: a member for each function, written `name: Rpc<Request, Result>` or
 * `name: Grouped<Call>`.
 */
const areaFolder = "shared/database/rpcs";

async function readAreas(): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const areas = [];
  for await (const { name } of Deno.readDir(areaFolder)) {
    const text = await Deno.readTextFile(`${areaFolder}/${name}`);
    const [, interfaceName] = /^export interface (\w+Rpcs) \{$/m.exec(text) ?? [];
    if (interfaceName !== undefined) areas.push({ name: interfaceName, text });
  }
  return areas;
}

function readRpcNames(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}(\w+): (?:Rpc|Grouped)</gm)].map(([, name]) => name ?? "");
}

Deno.test("the map of RPCs names the functions of the schema public, no more and no fewer, and each takes and returns one jsonb", async () => {
  await using database = await createTestDatabase();
  const rows = await database.admin<{ name: string; signature: string }[]>`
    select p.proname as name,
      format('%s -> %s', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) as signature
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by p.proname`;
  const areas = await readAreas();
  const mapped = areas.flatMap(({ text }) => readRpcNames(text)).sort();
  assert(mapped.length > 50, "the map was read");
  assertEquals(mapped, rows.map(({ name }) => name));
  assertEquals(
    new Set(rows.map(({ signature }) => signature)),
    new Set(["request jsonb -> jsonb"]),
  );
});

Deno.test("every area's RPCs are part of the map", async () => {
  const map = await Deno.readTextFile("shared/database/rpcs.ts");
  const [, extended = ""] = /export interface Rpcs\s+extends([\s\w,]+)\{\}/.exec(map) ?? [];
  const names = (await readAreas()).map(({ name }) => name).sort();
  assertEquals(extended.split(",").map((name) => name.trim()).sort(), names);
});
