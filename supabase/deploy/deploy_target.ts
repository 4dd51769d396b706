/** Which project a deployment goes to, from the environment's variables. */

import { invalidConnectionString, readConnectionString } from "./connection_string.ts";

/** The target of a deployment. */
export interface DeployTarget {
  readonly projectRef: string;
  readonly accessToken: string;
  /** A connection string, or the password of the project's database. */
  readonly database: { readonly url: string } | { readonly password: string };
  /** Where the functions answer. */
  readonly apiUrl: string;
}

/** The variables without which nothing is deployed, and what to say when one is missing. */
export const neededVariables: Readonly<Record<string, string>> = {
  SUPABASE_PROJECT_REF:
    "SUPABASE_PROJECT_REF is missing: set it to the project's reference, 20 letters in the URL of its dashboard.",
  SUPABASE_ACCESS_TOKEN:
    "SUPABASE_ACCESS_TOKEN is missing: create one under Account, Access Tokens (sbp_...).",
  SUPABASE_DB_PASSWORD:
    "SUPABASE_DB_PASSWORD is missing: set it to the database's password (or set SUPABASE_DB_URL to a connection string).",
};

/** Reads the target. @returns the target, or an error sentence per missing or invalid variable. */
export function readTarget(
  environment: Readonly<Record<string, string | undefined>>,
): DeployTarget | readonly string[] {
  const {
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_PASSWORD: password,
    SUPABASE_DB_URL: url,
    API_URL: apiUrl,
  } = environment;
  if (url && readConnectionString(url) === null) {
    return [`SUPABASE_DB_URL ${invalidConnectionString}`];
  }
  const database = url ? { url } : password ? { password } : undefined;
  if (projectRef && accessToken && database) {
    const ownUrl = `https://${projectRef}.supabase.co`;
    return { projectRef, accessToken, database, apiUrl: (apiUrl || ownUrl).replace(/\/+$/, "") };
  }
  const given = {
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_PASSWORD: database,
  };
  return Object.entries(given).filter(([, value]) => !value)
    .map(([name]) => neededVariables[name] ?? name);
}

/**
 * Splits the database into the CLI's `--remote` argument and the password. Other users can read command
 * lines, so the password goes into the environment: SUPABASE_DB_PASSWORD with a project reference,
 * PGPASSWORD with a connection string.
 */
export function toRemote(
  { projectRef, database }: Pick<DeployTarget, "projectRef" | "database">,
): { readonly remote: string; readonly environment: Readonly<Record<string, string>> } {
  if ("password" in database) {
    return { remote: projectRef, environment: { SUPABASE_DB_PASSWORD: database.password } };
  }
  const url = new URL(database.url);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { remote: url.href, environment: password === "" ? {} : { PGPASSWORD: password } };
}
