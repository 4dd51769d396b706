import type { Sql } from "postgres";

/**
 * Makes the roles and default privileges of a hosted Supabase database (roles.sql) where they are
 * missing. Safe against other starts on the same server, to which the roles belong.
 *
 * @param sql a client of the role that will own the tables; it must be allowed to create roles.
 */
export async function createPlatformRoles(sql: Sql): Promise<void> {
  const text = await Deno.readTextFile(new URL("./roles.sql", import.meta.url));
  await sql.begin((transaction) => transaction.unsafe(text));
}
