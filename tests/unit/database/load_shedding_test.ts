import { shedLoad } from "../../../shared/database/load_shedding.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";

Deno.test("with all places taken a request waits for its turn in vain, what was begun goes on, and a free place is used", async () => {
  const answers: PromiseWithResolvers<unknown>[] = [];
  const names: string[] = [];
  const database = shedLoad({
    // deno-lint-ignore no-explicit-any -- what a call is answered with is no matter here
    rpc: (name): Promise<any> => {
      const answer = Promise.withResolvers<unknown>();
      answers.push(answer);
      names.push(name);
      return answer.promise;
    },
    close: () => Promise.resolve(),
  }, { maxCalls: 2, waitMs: 20 });
  const first = [
    callUntyped(database, "authenticate_client"),
    callUntyped(database, "accept_message"),
  ];
  const refusal = await assertRejects(() => callUntyped(database, "authenticate_client"), AppError);
  assertEquals([refusal.status, refusal.extras.headers], [503, { "Retry-After": "1" }]);
  await assertRejects(() => callUntyped(database, "record_provider_events"), AppError);
  const settling = callUntyped(database, "settle_messages");
  for (const { resolve } of answers) resolve("done");
  assertEquals(await Promise.all([...first, settling]), ["done", "done", "done"]);
  const next = callUntyped(database, "authenticate_client");
  await new Promise((resolve) => setTimeout(resolve));
  answers.at(-1)?.resolve("again");
  assertEquals(await next, "again");
  assertEquals(names.length, 4);
});

Deno.test("a call that fails gives its place back", async () => {
  const database = shedLoad({
    rpc: () => Promise.reject(new Error("gone")),
    close: () => Promise.resolve(),
  }, { maxCalls: 1, waitMs: 20 });
  for (let call = 0; call < 3; call++) {
    await assertRejects(() => callUntyped(database, "authenticate_client"), Error, "gone");
  }
});

Deno.test("a tenant that takes its whole part, also with calls that were begun before, leaves the others their places", async () => {
  const answers: PromiseWithResolvers<unknown>[] = [];
  const database = shedLoad({
    // deno-lint-ignore no-explicit-any -- what a call is answered with is no matter here
    rpc: (): Promise<any> => {
      const answer = Promise.withResolvers<unknown>();
      answers.push(answer);
      return answer.promise;
    },
    close: () => Promise.resolve(),
  }, { maxCalls: 4, maxCallsOfTenant: 2, waitMs: 20 });
  const receive = (instanceId: string): Promise<unknown> =>
    callUntyped(database, "record_provider_events", { instanceId });
  const settling = callUntyped(database, "settle_messages", { instanceId: "a" });
  const under = [receive("a"), settling];
  await assertRejects(() => receive("a"), AppError);
  under.push(receive("b"), receive("b"));
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(answers.length, 4);
  for (const { resolve } of answers) resolve("done");
  assertEquals(await Promise.all(under), ["done", "done", "done", "done"]);
});
