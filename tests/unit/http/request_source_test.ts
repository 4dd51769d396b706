import { notePeer, sourceOf } from "../../../shared/http/request_source.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("a request's source is its peer, or where that is a proxy of ours, the address that it has seen", () => {
  const sources = [
    [undefined, undefined, "unknown"],
    [undefined, "203.0.113.7", "203.0.113.7"],
    ["8.8.8.8", undefined, "8.8.8.8"],
    // A caller from outside may forge it.
    ["8.8.8.8", "10.0.0.1", "8.8.8.8"],
    ["127.0.0.1", undefined, "127.0.0.1"],
    ["10.1.2.3", "1.1.1.1, 9.9.9.9", "9.9.9.9"],
    ["::1", "9.9.9.9", "9.9.9.9"],
    ["127.0.0.1", "x".repeat(500), "x".repeat(64)],
  ] as const;
  for (const [peer, forwarded, expected] of sources) {
    const request = new Request("http://localhost/", {
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    });
    if (peer !== undefined) notePeer(request, peer);
    assertEquals(sourceOf(request), expected);
  }
});
