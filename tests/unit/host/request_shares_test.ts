import { RequestShares } from "../../../supabase/host/request_shares.ts";
import { arrivingBodies } from "../../../shared/runtime/arriving_bodies.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const limits = { all: 4, strangers: 2, unshared: 2 } as const;

Deno.test("strangers have half, and neither keep out known callers nor the service's own work", () => {
  const shares = new RequestShares(limits);
  const leave = shares.admit("stranger", 0);
  assert(leave !== null);
  assert(shares.admit("stranger", 1) !== null);
  assertEquals(shares.admit("stranger", 2), null);
  assert(shares.admit("known", 2) !== null);
  assert(shares.admit("known", 3) !== null);
  assertEquals(shares.admit("known", 4), null);
  assert(shares.admit("unshared", 4) !== null);
  leave();
  assert(shares.admit("stranger", 3) !== null);
});

Deno.test("the service's own work has a share of its own, beside that of all others", () => {
  const shares = new RequestShares(limits);
  const leave = shares.admit("unshared", 0);
  assert(leave !== null);
  assert(shares.admit("unshared", 1) !== null);
  assertEquals(shares.admit("unshared", 2), null);
  assert(shares.admit("known", 5) !== null, "the two do not count");
  leave();
  assert(shares.admit("unshared", 1) !== null);
});

Deno.test("a request whose body is waited for takes nothing of the shares of those that work", async () => {
  const shares = new RequestShares(limits);
  shares.admit("stranger", 0);
  shares.admit("stranger", 1);
  assertEquals(shares.admit("stranger", 2), null);
  const waiting = arrivingBodies.begin().wait(new Promise(() => {})).catch(({ fault }) => fault);
  assert(shares.admit("stranger", 2) !== null);
  assert(shares.admit("known", 4) !== null);
  assert(arrivingBodies.displaceOne());
  assertEquals(await waiting, "displaced");
  assertEquals(shares.admit("stranger", 3), null);
  assertEquals(shares.admit("known", 4), null);
});
