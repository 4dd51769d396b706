import { withSupabase } from "@supabase/server/adapters/hono";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { AppError } from "../model/errors.ts";
import type { AppVariables } from "./app_variables.ts";
import { knownCallers } from "./known_callers.ts";
import { refuseDeclaredBody } from "./request_body.ts";

/**
 * A placeholder for the project's URL and publishable key. The library builds clients with them
 * after a successful check. The service uses no such client, so the project need not exist (a
 * single machine has none).
 */
const unusedProject = {
  url: "http://127.0.0.1",
  publishableKeys: { default: "unused" },
  jwks: { keys: [] },
};

/**
 * Requires one of the project's secret keys in the `apikey` header (decisions, section 9). Takes
 * the keys as an argument instead of reading the environment. Compares them in constant time,
 * before the body is read.
 *
 * The middleware throws {@link AppError} `invalid_secret_key` (401) for all other requests.
 */
export function createSecretKeyGuard(
  secretKeys: Readonly<Record<string, string>>,
): MiddlewareHandler<{ Variables: AppVariables }> {
  const checkKey: MiddlewareHandler = withSupabase({
    auth: "secret:*",
    env: { ...unusedProject, secretKeys: { ...secretKeys } },
  });
  return async (context, next) => {
    try {
      await checkKey(context, () => Promise.resolve());
    } catch (error) {
      if (error instanceof HTTPException && error.status === 401) {
        throw new AppError("invalid_secret_key");
      }
      throw error;
    }
    knownCallers.remember(context.req.header("apikey"));
    refuseDeclaredBody(context);
    await next();
  };
}
