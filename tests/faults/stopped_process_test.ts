/** One of two processes that does no more and yet does not die: SIGSTOP, as a debugger or a full machine may do it. */

import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { callUntilAnswered } from "../support/stack/sender_calls.ts";
import { startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const callers = 8;

Deno.test("when the process that takes connections is stopped, the other one takes them, and what waited for it is answered", async () => {
  await using database = await createTestDatabase();
  await using provider = startHttpDouble(acceptMessage);
  const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
  await using service = await startServe({
    args: ["--processes", "2"],
    environment: { DATABASE_URL: database.url },
  });
  await waitUntil(() => service.logged("service_started").length === 2, { what: "two processes" });
  const [taking] = service.logged("port_opened");
  const pid = Number(taking?.["pid"]);
  assert(pid > 0);
  Deno.kill(pid, "SIGSTOP");
  const url = `${service.origin}/functions/v1/send-message`;
  const send = async (number: number): Promise<void> => {
    const phone = `55119${String(80_000_000 + number)}`;
    const { status } = await callUntilAnswered({ url }, tenant, `call-${number}`, {
      ...{ phone, messageType: "text", message: `text ${number}` },
    });
    assertEquals(status, 200);
  };
  // Before anybody has noticed: all wait for the stopped process.
  await Promise.all(Array.from({ length: callers }, (_, number) => send(number)));
  assertEquals(service.logged("heartbeats_missed").map((line) => line["pid"]), [pid]);
  assertEquals(service.logged("port_opened").length, 2);
  const texts = provider.requests.map(({ json }) => json["message"]);
  assertEquals(new Set(texts).size, callers);
  assertEquals(texts.length, callers);
  // Ended at last, and another one is started in its place.
  await waitUntil(() => service.logged("service_started").length === 3, { what: "a new process" });
  assertEquals(service.logged("process_died").map((line) => [line["pid"], line["signal"]]), [
    [pid, "SIGKILL"],
  ]);
  await send(callers);
});
