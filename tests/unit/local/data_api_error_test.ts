import { toDataApiError } from "../../../supabase/local/data_api_error.ts";
import { assertEquals } from "../../support/assert.ts";

function answerTo(code: string): readonly [status: unknown, code: unknown] {
  const error = toDataApiError(Object.assign(new Error("it failed"), { code })) as {
    readonly message: string;
    readonly detail: string;
  };
  return [JSON.parse(error.detail).status, JSON.parse(error.message).code];
}

Deno.test("a lost connection is PostgREST's 503, whatever the driver's code", () => {
  for (const code of ["EPIPE", "ECONNRESET", "ECONNREFUSED", "CONNECTION_CLOSED"]) {
    assertEquals(answerTo(code), [503, "PGRST001"], code);
  }
});

Deno.test("a database error keeps its SQLSTATE", () => {
  assertEquals(answerTo("MI004"), [400, "MI004"]);
  assertEquals(answerTo("57P01"), [500, "57P01"]);
  assertEquals(answerTo("XX000"), [500, "XX000"]);
  assertEquals(answerTo("25006"), [405, "25006"]);
});
