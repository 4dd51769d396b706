/** The local stack's address. */
const localOrigin = "http://127.0.0.1:54321";

/** The members of the environment that say where the functions are. */
export interface FunctionsEnvironment {
  readonly FUNCTIONS_URL?: string | undefined;
  readonly SUPABASE_URL?: string | undefined;
}

/** Where the functions are reached from outside, without a trailing slash. An empty variable is not set. */
export function readFunctionsUrl({ FUNCTIONS_URL, SUPABASE_URL }: FunctionsEnvironment): string {
  return withoutTrailingSlash(FUNCTIONS_URL || `${SUPABASE_URL || localOrigin}/functions/v1`);
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, "");
}
