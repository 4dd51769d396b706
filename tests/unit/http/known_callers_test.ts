import { KnownCallers } from "../../../shared/http/known_callers.ts";
import { assert, assertFalse } from "../../support/assert.ts";

const headersOf = (value: string, name = "x-client-token"): Headers =>
  new Headers({ [name]: value });

Deno.test("a caller is known by the credential that was valid, in whichever header", () => {
  const callers = new KnownCallers();
  assertFalse(callers.knows(headersOf("mia_a")));
  callers.remember("mia_a");
  callers.remember(undefined);
  assert(callers.knows(headersOf("mia_a")));
  assert(callers.knows(headersOf("mia_a", "apikey")));
  assertFalse(callers.knows(headersOf("mia_b")));
  assertFalse(callers.knows(new Headers()));
});

Deno.test("a caller is forgotten after its time, and the one known longest where there are too many", () => {
  const few = new KnownCallers({ maxCredentials: 2, rememberedMs: 60_000 });
  for (const token of ["a", "b", "a", "c"]) few.remember(token);
  assert(few.knows(headersOf("a")));
  assertFalse(few.knows(headersOf("b")));
  const short = new KnownCallers({ maxCredentials: 2, rememberedMs: 0 });
  short.remember("a");
  assertFalse(short.knows(headersOf("a")));
});
