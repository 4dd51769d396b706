import { acquireHostSlot } from "../../../../shared/providers/http/host_limiter.ts";
import { assert, assertEquals } from "../../../support/assert.ts";

Deno.test("calls to one host beyond its places wait in line, those on time and to other hosts do not", async () => {
  const url = "https://api.example.com/send";
  const taken = await Promise.all(Array.from({ length: 250 }, () => acquireHostSlot(url, false)));
  const waiting = acquireHostSlot(url, false);
  const onTime = await acquireHostSlot(url, true);
  const elsewhere = await acquireHostSlot("https://other.example.com/send", false);
  assert(onTime !== null && elsewhere !== null);
  onTime();
  const still = Promise.resolve("still waiting");
  assertEquals(await Promise.race([waiting, still]), "still waiting");
  taken[0]?.();
  const next = await waiting;
  assert(next !== null);
  for (const leave of [...taken.slice(1), next, elsewhere]) leave?.();
});
