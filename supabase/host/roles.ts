import type { Sql } from "postgres";

/**
 * Creates the roles and default privileges of a hosted Supabase database (./roles.sql) where they are
 * missing. Roles belong to the whole server; concurrent calls are safe.
 *
 * @param sql a client of the role that will own the tables; it must be allowed to create roles.
 */
export async function createPlatformRoles(sql: Sql): Promise<void> {
  const text = await Deno.readTextFile(new URL("./roles.sql", import.meta.url));
  await sql.begin((transaction) => transaction.unsafe(text));
}
