/**
 * Prints what each kind of program takes for now, as JSON in milliseconds, and whether a time-out of Postgres
 * struck. For the test of the moved clock, which starts this on one.
 */

import postgres from "postgres";
import { startThrowawayPostgres } from "../../../supabase/local/throwaway_postgres.ts";

await using server = await startThrowawayPostgres();
const sql = postgres(server.databaseUrl, { max: 1 });
const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
await sql`set statement_timeout = '100ms'`;
const struck = await sql`select pg_sleep(20)`.then(() => "nothing", (error) => error.code);
await sql.end();
const { stdout } = await new Deno.Command("/bin/date", {
  args: ["+%s"],
  clearEnv: true,
  stdin: "null",
}).output();
const clocks = {
  deno: Date.now(),
  date: Number(new TextDecoder().decode(stdout)) * 1_000,
  postgres: row?.now.getTime(),
};
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ clocks, struck })));
