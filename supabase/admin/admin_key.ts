import { locateStackKeys, readStackKeys } from "../local/stack_keys.ts";
import { StartError } from "../host/start_error.ts";
import { AdminApiError } from "./admin_api.ts";

/**
 * Returns the secret key for calls to admin-api: the given one, otherwise the local stack's key
 * from its data folder. The local stack's key is sent only to this machine.
 *
 * @throws {AdminApiError} where neither key exists.
 */
export async function findSecretKey(
  given: string | undefined,
  apiUrl: string,
  dataDir: string,
): Promise<string> {
  if (given) return given;
  if (!isLocal(apiUrl)) {
    throw new AdminApiError(
      "SUPABASE_SECRET_KEY is missing: set it to a secret key of the project.",
      true,
    );
  }
  const path = locateStackKeys(dataDir);
  const keys = await readStackKeys(dataDir).catch((error) => {
    if (error instanceof StartError) throw new AdminApiError(error.message, true);
    throw error;
  });
  if (keys !== null) return keys.secretKey;
  throw new AdminApiError(
    `There is no secret key: SUPABASE_SECRET_KEY is not set, and ${path} does not exist. Start the local stack first, or set DATA_DIR to its folder.`,
    true,
  );
}

function isLocal(apiUrl: string): boolean {
  return ["127.0.0.1", "localhost"].includes(URL.parse(apiUrl)?.hostname ?? "");
}
