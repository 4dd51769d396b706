/** Calls SQL functions as the platform's Data API does, with the role and the settings of its sessions. */

import type { Sql } from "postgres";

/** Rolls the transaction back. */
class Called extends Error {}

/** The settings with which sessions of the Data API's role begin, as `name=value`. */
export async function readAuthenticatorSettings(admin: Sql): Promise<readonly string[]> {
  const [role] = await admin<{ settings: string[] | null }[]>`
    select rolconfig as settings from pg_roles where rolname = 'authenticator'`;
  return role?.settings ?? [];
}

/**
 * Calls a function of the schema `public` as the Data API does: as `authenticator` that has become
 * `service_role`, under that role's settings, and in a read-only transaction unless the function is
 * VOLATILE. What the call has changed is rolled back.
 *
 * @param admin a client of the superuser.
 * @returns the SQLSTATE of its failure, or null.
 */
export async function callAsAuthenticator(
  admin: Sql,
  name: string,
  request: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  const settings = await readAuthenticatorSettings(admin);
  const [rpc] = await admin<{ isVolatile: boolean }[]>`
    select provolatile = 'v' as "isVolatile" from pg_proc
    where proname = ${name} and pronamespace = 'public'::regnamespace`;
  try {
    return await admin.begin(rpc?.isVolatile === true ? "read write" : "read only", async (sql) => {
      for (const setting of settings) {
        const [variable = "", value = ""] = setting.split(/=(.*)/s);
        await sql`select set_config(${variable}, ${value}, true)`;
      }
      await sql.unsafe(
        "set local session authorization authenticator; set local role service_role",
      );
      await sql.unsafe(`select public.${name}($1::text::jsonb)`, [JSON.stringify(request)]);
      throw new Called();
    });
  } catch (error) {
    if (error instanceof Called) return null;
    return (error as { readonly code?: string }).code ?? "unknown";
  }
}
