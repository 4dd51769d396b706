import { acquireHostSlot } from "../../../../shared/providers/http/host_limiter.ts";
import { assert, assertEquals } from "../../../support/assert.ts";

const url = "https://api.example.com/send";

Deno.test("an instance whose 300 calls to a host hang leaves slots to another instance's calls to it", async () => {
  const hanging = Array.from({ length: 300 }, () => acquireHostSlot(url, { instanceId: "a" }));
  const other = await acquireHostSlot(url, { instanceId: "b" });
  assert(other !== null);
  other();
  await releaseAll(hanging);
});

Deno.test("calls above an instance's share wait; calls that bypass it and calls to other hosts do not", async () => {
  const instanceId = "a";
  const taken = await Promise.all(
    Array.from({ length: 125 }, () => acquireHostSlot(url, { instanceId })),
  );
  const waiting = acquireHostSlot(url, { instanceId });
  const bypassing = await acquireHostSlot(url, { instanceId, bypassLimit: true });
  const elsewhere = await acquireHostSlot("https://other.example.com/send", { instanceId });
  assert(bypassing !== null && elsewhere !== null);
  bypassing();
  const still = Promise.resolve("still waiting");
  assertEquals(await Promise.race([waiting, still]), "still waiting");
  taken[0]?.();
  const next = await waiting;
  assert(next !== null);
  for (const release of [...taken.slice(1), next, elsewhere]) release?.();
});

async function releaseAll(calls: Promise<(() => void) | null>[]): Promise<void> {
  for (const call of calls) (await call)?.();
}
