import type { Context, MiddlewareHandler } from "hono";
import type * as z from "zod";
import { describeIssue } from "../../../shared/model/issue_messages.ts";

/** Whether the request declares a JSON body; ignores parameters such as `charset`. */
export function declaresJson(request: Request): boolean {
  const mediaType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  return mediaType === "application/json";
}

/**
 * Rejects a POST without a declared JSON body. The simulator's control endpoints require it,
 * because any web page can send other media types to this machine without a preflight. The
 * providers' own endpoints accept what the real ones accept.
 */
export const requireJson: MiddlewareHandler = async ({ req, json }, next) => {
  if (declaresJson(req.raw)) return await next();
  const message = "Send JSON with the header Content-Type: application/json.";
  return json({ error: "unsupported_media_type", message }, 415);
};

/** The parsed body, or undefined when it is not JSON (JSON itself has no undefined). */
export async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}

export interface BodyFlaw {
  /** Dotted, e.g. `optionList.options.0.title`. */
  readonly path: string;
  readonly message: string;
  /** The value is absent or null, as opposed to present and invalid. */
  readonly missing: boolean;
}

/**
 * Validates the value against the schema. Words the flaws for the service's users, not in a
 * library's terms.
 */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.infer<Schema>> {
  return schema.safeParse(value, { error: describeIssue });
}

/** Lists the flaws of `body`, in the schema's order. */
export function listFlaws(error: z.ZodError, body: unknown): BodyFlaw[] {
  return error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
    missing: isAbsent(readPath(body, issue.path)),
  }));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function readPath(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** The token of `Authorization: Bearer <token>`, or undefined. */
export function readBearerToken(request: Request): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
}

/**
 * Handles a request whose body matches the schema; answers any other one with 400 and its flaws.
 */
export async function withBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  answer: (request: z.infer<Schema>) => Response | Promise<Response>,
): Promise<Response> {
  const body = await readJson(context.req.raw);
  const parsed = parseValue(schema, body);
  if (parsed.success) return await answer(parsed.data);
  const issues = listFlaws(parsed.error, body).map(({ path, message }) => ({ path, message }));
  return Response.json({ error: "invalid_request", issues }, { status: 400 });
}
