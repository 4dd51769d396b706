import { acquireHostSlot } from "../../../../shared/providers/http/host_limiter.ts";
import { assert, assertEquals } from "../../../support/assert.ts";

Deno.test("calls above a host's limit wait in order; calls that bypass it and calls to other hosts do not", async () => {
  const url = "https://api.example.com/send";
  const taken = await Promise.all(Array.from({ length: 250 }, () => acquireHostSlot(url, false)));
  const waiting = acquireHostSlot(url, false);
  const bypassing = await acquireHostSlot(url, true);
  const elsewhere = await acquireHostSlot("https://other.example.com/send", false);
  assert(bypassing !== null && elsewhere !== null);
  bypassing();
  const still = Promise.resolve("still waiting");
  assertEquals(await Promise.race([waiting, still]), "still waiting");
  taken[0]?.();
  const next = await waiting;
  assert(next !== null);
  for (const release of [...taken.slice(1), next, elsewhere]) release?.();
});
