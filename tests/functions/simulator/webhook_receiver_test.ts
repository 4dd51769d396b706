import { Webhook } from "standardwebhooks";
import { assertEquals } from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const other = "whsec_QW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMhISEhISE=";
const body = JSON.stringify({ id: "evt_1", type: "endpoint.test", data: { name: "ção 🙂" } });

Deno.test("the receiver verifies what the public package signs, and refuses anything else", async () => {
  await using server = startSimulator();
  assertEquals(await call(server, sign(secret)), 401);
  await server.post("/receiver-secrets", { secret: other });
  assertEquals(await call(server, sign(secret)), 401);
  await server.post("/receiver-secrets", { secret });
  assertEquals(await call(server, sign(secret)), 204);
  const { signature, ...signed } = sign(other);
  const listed = { ...signed, signature: `v1,Zm9yZ2Vk v1,%% v2,AAAA ${signature}` };
  assertEquals(await call(server, listed), 204);
  assertEquals(await call(server, sign(secret), body.replace("evt_1", "evt_2")), 401);
  assertEquals(await call(server, { ...signed, signature: "" }), 401);
  assertEquals(await call(server, sign(secret, 600)), 401);
  const { items } = await server.read("/receiver-calls");
  assertEquals(items.map(({ verdict }) => verdict), [
    ...["no_secret", "wrong", "verified", "verified", "wrong", "wrong", "too_old"],
  ]);
  assertEquals(items[2]?.["body"], JSON.parse(body));
  assertEquals([items[2]?.["webhookId"], items[2]?.["answeredStatus"]], ["evt_1", 204]);
});

Deno.test("the receiver answers as it is told, and says whether the signature was right", async () => {
  await using server = startSimulator();
  await server.post("/receiver-secrets", { secret });
  for (const status of [500, 410, 204]) {
    assertEquals((await server.post("/receiver-answer", { status })).json, { status });
    assertEquals(await call(server, sign(secret)), status);
  }
  const { items } = await server.read("/receiver-calls");
  assertEquals(items.map(({ verdict }) => verdict), ["verified", "verified", "verified"]);
  assertEquals((await server.post("/receiver-answer", { status: 302 })).status, 400);
  assertEquals((await server.post("/receiver-secrets", { secret: "whsec_" })).status, 400);
});

interface Signed {
  readonly signature: string;
  /** Of the signature, in Unix seconds. */
  readonly timestamp: number;
}

/** The signature of the body, made some seconds before now: the file may have been loaded long ago. */
function sign(key: string, ageSeconds = 0): Signed {
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const signature = new Webhook(key).sign("evt_1", new Date(timestamp * 1_000), body);
  return { signature, timestamp };
}

async function call(
  server: SimulatorServer,
  { signature, timestamp }: Signed,
  sent = body,
): Promise<number> {
  const response = await fetch(`${server.url}/webhook-receiver`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "webhook-id": "evt_1",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
    },
    body: sent,
  });
  await response.body?.cancel();
  return response.status;
}
