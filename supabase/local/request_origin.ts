/**
 * Keeps foreign web pages away from the local stack. Any page that a developer opens can send
 * requests to a port of this machine; only the Host and Origin headers tell them from the stack's
 * own.
 */
import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";

/**
 * Says why a request is refused, and answers it: 403 for a `Host` that is not this stack's, which is
 * what DNS rebinding sends, and for an `Origin` that is not. Null for a request that may pass.
 *
 * Functions that send CORS headers take any Origin; a client token opens them, which a foreign page
 * does not have. `Origin: null` (a sandboxed frame, a local file) is foreign.
 *
 * @param port where the stack listens.
 */
export function refuseForeignRequest(request: Request, port: number): Response | null {
  const url = new URL(request.url);
  const ownHosts = listOwnHosts(port);
  // Both count: an absolute request target names another host than the header.
  const host = request.headers.get("Host")?.toLowerCase() ?? url.host;
  if (!ownHosts.has(host) || !ownHosts.has(url.host)) {
    return refuse(
      "foreign_host",
      `This stack answers to 127.0.0.1:${port} and localhost:${port} alone; the Host header names another.`,
    );
  }
  const origin = request.headers.get("Origin");
  if (origin === null || isOwnOrigin(origin, ownHosts) || takesAnyOrigin(url.pathname)) return null;
  return refuse("foreign_origin", "A page of another origin may not call this address.");
}

/** Port 80 is left out of a Host header and of a URL. */
function listOwnHosts(port: number): ReadonlySet<string> {
  const names = ["127.0.0.1", "localhost"];
  return new Set(names.flatMap((name) => port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

function isOwnOrigin(origin: string, ownHosts: ReadonlySet<string>): boolean {
  return origin.startsWith("http://") && ownHosts.has(origin.slice("http://".length));
}

function takesAnyOrigin(pathname: string): boolean {
  const slug = /^\/functions\/v1\/([^/]+)/.exec(pathname)?.[1];
  return slug !== undefined && allowsCrossOrigin(slug);
}

function refuse(error: string, message: string): Response {
  return Response.json({ success: false, error, message }, { status: 403 });
}
