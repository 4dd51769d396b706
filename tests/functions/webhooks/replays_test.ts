/** What a replay sends once more: the events that its answer counts, and when. */

import { assertEquals } from "../../support/assert.ts";
import { startWebhookClient } from "./webhook_client.ts";

const instant = (secondsAgo: number): string =>
  new Date(Date.now() - secondsAgo * 1_000).toISOString();

Deno.test("a replay sends what it counts, also where other events stand between", async () => {
  await using client = await startWebhookClient();
  const { endpointId: all } = await client.createEndpoint();
  const { endpointId: paused } = await client.createEndpoint({ types: ["agent.paused"] });
  await client.record(1, "agent.paused");
  await client.record(1, "agent.resumed");
  await client.call("POST", `/endpoints/${all}/test`);
  await client.record(1, "agent.paused");
  await client.stack.dispatch();
  const replay = async (endpointId: string, body: object = {}): Promise<unknown[]> => {
    client.receiver.calls.length = 0;
    const answer = await client.call("POST", `/endpoints/${endpointId}/replay`, {
      ...{ since: instant(3_600), ...body },
    });
    assertEquals(answer.status, 202, JSON.stringify(answer.body));
    await client.stack.dispatch();
    return [answer.body.count, client.receiver.calls.map(({ event }) => event.type).sort()];
  };
  const [two, three] = [
    [2, ["agent.paused", "agent.paused"]],
    [3, ["agent.paused", "agent.paused", "agent.resumed"]],
  ];
  assertEquals(await replay(all), three, "no test event");
  assertEquals(await replay(all, { types: ["agent.paused"] }), two, "of the call's types");
  assertEquals(await replay(all, { types: ["agent.resumed"] }), [1, ["agent.resumed"]]);
  assertEquals(await replay(paused), two, "of the endpoint's types");
  for (const hours of [-2, 2]) {
    await client.stack.admin`
      update messaging.events set recorded_at = now() + make_interval(hours => ${hours})
      where type = 'agent.resumed'`;
    assertEquals(await replay(all), two, `of its time, ${hours} h`);
  }
});

Deno.test("a replay waits while as many deliveries are due as one look makes", async () => {
  await using client = await startWebhookClient();
  const { endpointId } = await client.createEndpoint();
  await client.record(2, "agent.paused");
  await client.stack.dispatch();
  await client.call("POST", `/endpoints/${endpointId}/replay`, { since: instant(60) });
  await client.record(2, "agent.resumed");
  const look = async (): Promise<unknown[]> => {
    await client.stack.admin`select messaging.fan_out_events(2)`;
    const due = await client.stack.admin`
      update messaging.event_deliveries set status = 'delivered', next_attempt_at = null
      where next_attempt_at is not null returning type`;
    return due.map(({ type }) => type);
  };
  assertEquals(await look(), ["agent.resumed", "agent.resumed"]);
  assertEquals(await look(), ["agent.paused", "agent.paused"]);
  assertEquals(await look(), []);
});
