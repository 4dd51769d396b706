import type { Context, MiddlewareHandler } from "hono";
import type { Database } from "../database/database.ts";
import { type Deprecation, nameDeprecation } from "../model/deprecations.ts";
import { versionDocsUrl } from "../runtime/docs_address.ts";
import { describeDefect, type Log } from "../runtime/log.ts";

/** What a notice needs besides the entries of its operation. */
export interface NoticeServices {
  /** Where calls are counted; absent for a function without a database, whose calls are not counted. */
  readonly database?: Database | undefined;
  readonly log: Log;
}

/** On answers that a page of another origin may read: the headers that it may. */
const exposed = "Access-Control-Expose-Headers";

/** Answers to strangers and beyond a limit: they write nothing. */
const uncountedStatuses: ReadonlySet<number> = new Set([401, 429]);

/**
 * Creates what tells callers of an operation that they use what is to go: `Deprecation` (RFC 9745), `Sunset`
 * (RFC 8594) and a link to the page of versions, on every answer to a call that does. Counts the call by its
 * token for `metrics`, before it is answered. A call that cannot be counted is answered all the same.
 */
export function createDeprecationNotice(
  entries: readonly Deprecation[],
  { database, log }: NoticeServices,
): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const used = entries.filter(({ member }) => member === undefined || isGiven(context, member));
    if (used.length === 0) return;
    const headers = writeHeaders(used);
    for (const [name, value] of headers) context.header(name, value);
    if (context.res.headers.has(exposed)) {
      context.header(exposed, headers.map(([name]) => name).join(), { append: true });
    }
    if (database === undefined || uncountedStatuses.has(context.res.status)) return;
    const names = used.map(nameDeprecation);
    await database.rpc("count_deprecated_call", { names, tokenId: context.get("tokenId") ?? null })
      .catch((error) => log.error("deprecation_count_failed", describeDefect(error)));
  };
}

/** Whether a call has the field in its body, or the parameter in its query. */
function isGiven(context: Context, member: string): boolean {
  const body: Readonly<Record<string, unknown>> = context.get("body") ?? {};
  return (body[member] ?? context.req.query(member) ?? null) !== null;
}

/** Of several things, the earliest days. */
function writeHeaders(used: readonly Deprecation[]): [name: string, value: string][] {
  const [since = ""] = used.map(({ since }) => since).sort();
  const [until = ""] = used.map(({ until }) => until).sort();
  return [
    ["Deprecation", `@${Date.parse(since) / 1_000}`],
    ["Sunset", new Date(until).toUTCString()],
    ["Link", `<${versionDocsUrl()}>; rel="deprecation"; type="text/html"`],
  ];
}
