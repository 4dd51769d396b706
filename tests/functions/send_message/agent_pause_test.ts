import { demoPhone } from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, newPhone, startService } from "../contract/service.ts";

const sendMessage = "/functions/v1/send-message";
const text = { ...demoTarget, messageType: "text", message: "Olá" };

// Specification 3, AI agent pause.
Deno.test("the AI agent pauses for 30 minutes from each send that is not its own", async () => {
  await using service = await startService();
  const readPause = async (): Promise<number | null> => {
    const [row] = await service.sql`
      select extract(epoch from p.paused_until - clock_timestamp()) as seconds
      from messaging.agent_pauses p where p.instance_id = ${demoInstanceId}
        and p.paused_until > clock_timestamp()`;
    return row === undefined ? null : Number(row["seconds"]);
  };
  const assertHalfAnHour = async (): Promise<void> => {
    const seconds = await readPause() ?? 0;
    assert(seconds > 1_770 && seconds <= 1_800, `${seconds} s`);
  };
  await service.post(sendMessage, { ...text, sentBy: "ai_agent" });
  assertEquals(await readPause(), null, "the agent's own message pauses nothing");
  for (const sentBy of [undefined, "api", "operator", "automation", "scheduled", "a robot"]) {
    await service
      .sql`update messaging.agent_pauses set paused_until = now() + interval '5 minutes'`;
    await service.post(sendMessage, { ...text, ...(sentBy === undefined ? {} : { sentBy }) });
    await assertHalfAnHour();
  }
  await service.sql`update messaging.agent_pauses set paused_until = now() + interval '5 minutes'`;
  await service.post(sendMessage, { ...text, sentBy: "ai_agent" });
  assert((await readPause() ?? 0) <= 300, "and renews none");
  await service.sql`update messaging.agent_pauses set paused_until = now() - interval '1 second'`;
  assertEquals(await readPause(), null, "after 30 minutes the agent is active");
});

// Specification 8, AI-agent pause.
Deno.test("the pause holds for one contact, and each send renews it", async () => {
  await using service = await startService();
  const pausedFor = async (phone: string): Promise<number> => {
    const answer = await service.post(sendMessage, { ...text, phone });
    return (Date.parse(answer.aiAgentPausedUntil) - Date.now()) / 60_000;
  };
  for (const phone of [newPhone, newPhone, demoPhone]) {
    const minutes = await pausedFor(phone);
    assert(minutes > 29.5 && minutes <= 30, `${minutes} minutes`);
  }
  const [row] = await service.sql`select count(*)::int as count from messaging.agent_pauses`;
  assertEquals(row?.["count"], 2);
});
