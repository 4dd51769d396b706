/**
 * Keeps foreign web pages away from the local stack. Any page that a developer opens can send
 * requests to a port of this machine; only the Host and Origin headers tell them from the stack's
 * own.
 */
import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";

/** A forwarded port may have another number: what DNS rebinding cannot forge is the name. */
const ownHost = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i;

/**
 * The answer to a request that a foreign page may have sent: 403 for a `Host` that is not this
 * machine's, which is what DNS rebinding sends, and for an `Origin` that is not this stack's. Null
 * for a request that may pass.
 *
 * Functions that send CORS headers take any Origin: a client token opens them, which a foreign page
 * does not have. `Origin: null` (a sandboxed frame, a local file) is foreign.
 *
 * @param port where the stack listens.
 */
export function refuseForeignRequest(request: Request, port: number): Response | null {
  const url = new URL(request.url);
  const host = request.headers.get("Host") ?? url.host;
  // Both count: an absolute request target may name another host than the header.
  if (!ownHost.test(host) || !ownHost.test(url.host)) {
    const message = `The Host header must name 127.0.0.1:${port} or localhost:${port}.`;
    return refuse("foreign_host", message);
  }
  const origin = request.headers.get("Origin");
  if (origin === null || takesAnyOrigin(url.pathname)) return null;
  const ownOrigins = [`http://${host}`, `http://127.0.0.1:${port}`, `http://localhost:${port}`];
  if (ownOrigins.includes(origin)) return null;
  return refuse("foreign_origin", "A page of another origin may not call this address.");
}

function takesAnyOrigin(pathname: string): boolean {
  const slug = /^\/functions\/v1\/([^/]+)/.exec(pathname)?.[1];
  return slug !== undefined && allowsCrossOrigin(slug);
}

function refuse(error: string, message: string): Response {
  return Response.json({ success: false, error, message }, { status: 403 });
}
