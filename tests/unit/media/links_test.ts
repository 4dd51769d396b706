import { createMediaLinks } from "../../../shared/media/links.ts";
import { assert, assertEquals, assertNotEquals } from "../../support/assert.ts";

const mediaId = "0190b7a2-0000-7000-8000-00000000000a";
const otherId = "0190b7a2-0000-7000-8000-00000000000b";
const [keyA = "", keyB = ""] = [1, 2].map((byte) => btoa(String.fromCharCode(byte).repeat(32)));
const functionsUrl = "https://project.supabase.co/functions/v1";
const links = createMediaLinks({ credentialsKeys: keyA, functionsUrl });

const queryOf = (link: string) => Object.fromEntries(new URL(link).searchParams);

Deno.test("a link opens its own file for seven days, and each one is new", () => {
  const [link, next] = [links.create(mediaId), links.create(mediaId)];
  assertNotEquals(link, next);
  assert(link.startsWith(`${functionsUrl}/media-api/links/${mediaId}?`));
  assert(link.length <= 450);
  const endsAt = links.verify(mediaId, queryOf(link));
  const days = ((endsAt ?? 0) - Date.now()) / 86_400_000;
  assert(days > 6.99 && days <= 7);
});

Deno.test("a link that is forged, altered, foreign or over opens nothing", () => {
  const query = queryOf(links.create(mediaId));
  const { expires = "", nonce = "", signature = "" } = query;
  // The first one: the last character has two bits that are no part of a signature.
  const altered = (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
  assertEquals(links.verify(otherId, query), null);
  assertEquals(links.verify(mediaId, { ...query, expires: `${Number(expires) + 1}` }), null);
  assertEquals(links.verify(mediaId, { ...query, nonce: `${nonce}a` }), null);
  for (const signature of ["", "a", altered, undefined]) {
    assertEquals(links.verify(mediaId, { ...query, signature }), null, String(signature));
  }
  assertEquals(links.verify(mediaId, {}), null);
  assertEquals(links.verify(mediaId, queryOf(links.create(mediaId, -1))), null);
  const foreign = createMediaLinks({ credentialsKeys: keyB, functionsUrl });
  assertEquals(foreign.verify(mediaId, query), null);
});

Deno.test("links under a replaced key work as long as the key is configured", () => {
  const query = queryOf(links.create(mediaId));
  const rotated = createMediaLinks({ credentialsKeys: `${keyB},${keyA}`, functionsUrl });
  assert(rotated.verify(mediaId, query) !== null);
  assertEquals(links.verify(mediaId, queryOf(rotated.create(mediaId))), null);
});
