import type { Context, MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { AppVariables } from "./app_variables.ts";
import { refuseFields } from "./field_refusal.ts";
import { describeIssue } from "../model/issue_messages.ts";

/** What an operation says of its query. */
export interface QueryRules {
  /** The query that the operation takes; absent where it takes none. */
  readonly query?: z.ZodObject;
  /** Whether unknown parameters are named in the answer instead of being refused. */
  readonly ignoresParameters?: boolean;
}

/**
 * Part of the platform's own addressing: supabase-js adds it to a call for one region
 * (`FunctionsClient.ts` of @supabase/functions-js 2.119.1).
 */
const platformParameters: ReadonlySet<string> = new Set(["forceFunctionRegion"]);

/** Most names in an answer. */
const maxNames = 100;

/**
 * Creates the check for parameters that an operation does not know (decisions, section 1). They are
 * `invalid_request`, together with every fault of the known ones: a misspelled filter must not answer
 * with everybody. The operations of the specification ignore them, and name them in `ignoredFields`.
 */
export function checkParameters(
  { query, ignoresParameters = false }: QueryRules,
): MiddlewareHandler<{ Variables: AppVariables }> {
  const known = Object.keys(query?.shape ?? {});
  const message = known.length === 0
    ? "is not a parameter of this call: its query takes none"
    : `is not a parameter of this call, which takes ${known.join(", ")}`;
  return async (context: Context<{ Variables: AppVariables }>, next) => {
    const given = context.req.query();
    const unknown = Object.keys(given).filter((name) =>
      !known.includes(name) && !platformParameters.has(name)
    ).slice(0, maxNames);
    if (unknown.length > 0 && ignoresParameters) context.set("ignoredParameters", unknown);
    else if (unknown.length > 0) {
      // A phone in a query that takes none may be a good one.
      throw refuseFields(known.includes("phone") ? given : {}, [
        ...unknown.map((path) => ({ path, message })),
        ...findFaults(query, given),
      ]);
    }
    await next();
  };
}

function findFaults(
  query: z.ZodObject | undefined,
  given: Readonly<Record<string, string>>,
): { readonly path: string; readonly message: string }[] {
  const parsed = query?.safeParse(given, { error: describeIssue });
  return parsed?.error?.issues.map(({ path, message }) => ({ path: path.join("."), message })) ??
    [];
}
