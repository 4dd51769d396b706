import { withSupabase } from "@supabase/server/adapters/hono";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { AppError } from "../model/errors.ts";
import type { AppVariables } from "./create_app.ts";
import { refuseDeclaredBody } from "./request_body.ts";

/**
 * Stands for the project's URL and publishable key. The library builds clients with them for who
 * passes; nothing here calls one, so no project has to exist (a single machine has none).
 */
const unusedProject = {
  url: "http://127.0.0.1",
  publishableKeys: { default: "unused" },
  jwks: { keys: [] },
};

/**
 * Lets a request pass that carries one of the project's secret keys in its `apikey` header
 * (decisions, section 9). The keys are given, not read from the environment; they are compared in
 * constant time. Nothing of the body is looked at before.
 *
 * The middleware throws {@link AppError} `invalid_secret_key` (401) for everybody else.
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
    refuseDeclaredBody(context);
    await next();
  };
}
