/** The servers that `DATABASE_URL` names: one, or several of which one takes writes. */

/** What is asked of a host. Both words mean the one that takes writes; libpq knows more, which only read. */
const writableWords: readonly string[] = ["read-write", "primary"];

/** A list of hosts that nobody can serve. The message names the variable, never a part of it. */
export class DatabaseHostsError extends Error {
  override readonly name = "DatabaseHostsError";
}

/**
 * Reads `postgres://user:password@a:1,b:2/name?target_session_attrs=read-write`, as libpq does: one address
 * for each host, in their order. The driver gets one of them at a time, so `target_session_attrs` is left out.
 *
 * @throws {DatabaseHostsError} for an empty host, and for sessions that only read.
 */
export function readDatabaseHosts(databaseUrl: string): readonly [string, ...string[]] {
  const schemeEnd = databaseUrl.indexOf("://") + 3;
  const scheme = databaseUrl.slice(0, schemeEnd);
  const end = databaseUrl.slice(schemeEnd).search(/[/?#]/);
  const authorityEnd = end < 0 ? databaseUrl.length : schemeEnd + end;
  const authority = databaseUrl.slice(schemeEnd, authorityEnd);
  const rest = databaseUrl.slice(authorityEnd);
  const hostsAt = authority.lastIndexOf("@") + 1;
  const user = authority.slice(0, hostsAt);
  const hosts = authority.slice(hostsAt).split(",");
  const tail = withoutSessionAttributes(rest);
  if (hosts.length > 1 && hosts.some((host) => host.replace(/:\d*$/, "") === "")) {
    throw new DatabaseHostsError("DATABASE_URL has an empty name in its list of hosts.");
  }
  const [first = databaseUrl, ...more] = hosts.map((host) => `${scheme}${user}${host}${tail}`);
  return [first, ...more];
}

function withoutSessionAttributes(rest: string): string {
  const [path = "", query] = rest.split("?", 2);
  if (query === undefined) return rest;
  const parameters = query.split("&");
  const kept = parameters.filter((parameter) => !parameter.startsWith("target_session_attrs="));
  for (const parameter of parameters) {
    const [name, value = ""] = parameter.split("=", 2);
    if (name !== "target_session_attrs" || writableWords.includes(value)) continue;
    throw new DatabaseHostsError(
      "target_session_attrs in DATABASE_URL must be read-write or primary: the service writes.",
    );
  }
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}
