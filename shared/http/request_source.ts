import { isPublicAddress } from "../model/public_host.ts";

/** The addresses from which the connections of requests come, where the server tells them. */
const peers = new WeakMap<Request, string>();

/** Notes from which address a request's connection comes. */
export function notePeer(request: Request, address: string): void {
  peers.set(request, address);
}

/**
 * Whose shares a request without a credential takes: the address that it comes from. A proxy of ours is
 * believed: it calls from a private address, or the server tells no address, as on the platform. It
 * appends the address of its caller to `X-Forwarded-For`, so the last one is the one that it has seen
 * itself.
 */
export function sourceOf(request: Request): string {
  const peer = peers.get(request);
  if (peer !== undefined && isPublicAddress(peer)) return peer;
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return forwarded.slice(0, maxAddressLength) || (peer ?? "unknown");
}

const maxAddressLength = 64;
