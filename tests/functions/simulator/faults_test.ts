import { waitUntil } from "../../support/wait_until.ts";
import {
  assertEquals,
  assertMatch,
  assertObjectMatch,
  assertRejects,
} from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

async function send(server: SimulatorServer, phone: string, instance = "3A1"): Promise<number> {
  const path = `/zapi/instances/${instance}/token/T0/send-text`;
  return (await server.post(path, { phone, message: "Hello" })).status;
}

Deno.test("a fault affects exactly the planned number of sends", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post("/faults", {
    provider: "zapi",
    kind: "server_error",
    times: 2,
  });
  assertEquals(status, 201);
  assertObjectMatch(json as object, { kind: "server_error", times: 2, remaining: 2 });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => send(server, `551191234000${index}`)),
  );
  assertEquals(answers.filter((answer) => answer === 500).length, 2);
  assertEquals((await server.read("/messages")).total, 4);
  assertEquals((await server.read("/faults")).items[0]?.remaining, 0);
});

Deno.test("a fault for one recipient or one instance leaves the others alone", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "reject", to: "+55 11 91234-0001" });
  await server.post("/faults", { provider: "zapi", kind: "server_error", instance: "other" });
  assertEquals(await send(server, "5511912340002"), 200);
  assertEquals(await send(server, "5511912340001"), 400);
  assertEquals(await send(server, "5511912340001"), 200);
  assertEquals(await send(server, "5511912340002", "other"), 500);
});

Deno.test("a fault is not used up by a request that the provider refuses anyway", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "server_error" });
  assertEquals(await send(server, "1"), 400);
  assertEquals((await server.read("/faults")).items[0]?.remaining, 1);
});

Deno.test("delivered says whether a message with a spoiled answer arrives", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "server_error", delivered: true });
  assertEquals(await send(server, "5511912340001"), 500);
  assertEquals((await server.read("/messages")).items[0]?.answer, "server_error");
});

Deno.test("the fault reset breaks the connection in the middle of the answer", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "reset" });
  await assertRejects(() => send(server, "5511912340001"), TypeError);
  assertEquals((await server.read("/messages")).items[0]?.answer, "reset");
});

Deno.test("the fault timeout keeps the caller waiting until the stack stops", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "timeout" });
  let isAnswered = false;
  const waiting = fetch(`${server.url}/zapi/instances/3A1/token/T0/send-text`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ phone: "5511912340001", message: "Hello" }),
  }).then(async (response) => {
    isAnswered = true;
    await response.body?.cancel();
    return response.status;
  });
  await waitUntil(async () => (await server.read("/messages")).total === 1);
  assertEquals(isAnswered, false);
  server.simulator.close();
  assertEquals(await waiting, 504);
});

Deno.test("faults can be listed and cleared", async () => {
  await using server = startSimulator();
  await server.post("/faults", { provider: "zapi", kind: "server_error", times: 9 });
  await server.post("/faults", { provider: "resend", kind: "garbage" });
  const { items } = await server.read("/faults");
  assertEquals(items.map((fault) => [fault.provider, fault.delivered]), [
    ["zapi", false],
    ["resend", true],
  ]);
  assertEquals(await server.read("/faults", "DELETE"), { deleted: 2 } as never);
  assertEquals(await send(server, "5511912340001"), 200);
});

Deno.test("an invalid fault is refused with its flaws", async () => {
  await using server = startSimulator();
  const { status, json } = await server.post("/faults", { provider: "zapi", kind: "explode" });
  assertEquals(status, 400);
  assertMatch(JSON.stringify(json), /"path":"kind"/);
});
