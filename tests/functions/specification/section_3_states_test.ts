import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  createDemoOperator,
  demoInstanceId,
  demoTarget,
  type Service,
  startService,
} from "./service.ts";

const conversationsApi = "/functions/v1/conversations-api";
const sendMessage = "/functions/v1/send-message";
const text = { ...demoTarget, messageType: "text", message: "Olá" };
const statuses = ["open", "closed", "pending"] as const;

Deno.test("specification 3, Conversation status: any state goes to the given one, with a note if one is given", async () => {
  await using service = await startService();
  const setStatus = (status: string, internalNote?: string) =>
    service.post(`${conversationsApi}/status`, {
      ...demoTarget,
      status,
      ...(internalNote === undefined ? {} : { internalNote }),
    });
  let notes = 0;
  for (const from of statuses) {
    for (const to of statuses) {
      await setStatus(from);
      for (const note of [undefined, `${from} para ${to}`]) {
        const { conversationId, ...answer } = await setStatus(to, note);
        if (note !== undefined) notes += 1;
        assertEquals(answer, {
          success: true,
          contactId: answer.contactId,
          status: to,
          noteAdded: note !== undefined,
        });
        const [row] = await service.sql`
          select c.status, (
            select count(*)::int from messaging.internal_notes n where n.conversation_id = c.id
          ) as notes
          from messaging.conversations c where c.id = ${conversationId}`;
        assertEquals([row?.["status"], row?.["notes"]], [to, notes]);
      }
    }
  }
});

interface Recorded {
  readonly transfers: number;
  readonly notes: readonly string[];
  readonly emails: number;
}

async function readAssignment({ sql, contract }: Service): Promise<Recorded> {
  await contract.stack.dispatch();
  const [log] = await sql`select count(*)::int as count from messaging.chat_transfer_log`;
  const notes = await sql`select note from messaging.internal_notes order by created_at`;
  return {
    transfers: log?.["count"],
    notes: notes.map(({ note }) => note),
    emails: contract.stack.mail.requests.length,
  };
}

for (const path of [`${conversationsApi}/assign`, sendMessage]) {
  Deno.test(`specification 3, Operator assignment: a change of operator through ${path} is transferred, logged, noted and e-mailed`, async () => {
    await using service = await startService();
    const operators = {
      ana: await createDemoOperator(service.sql, "ana.souza@example.com"),
      bia: await createDemoOperator(service.sql, "bia.lima@example.com"),
    };
    const assign = async (assignTo: string): Promise<Record<string, unknown>> => {
      const answer = await service.post(path, { ...demoTarget, assignTo });
      return answer.assignment ?? answer;
    };
    const first = await assign("ana.souza@example.com");
    assertEquals(
      [first["assignedTo"], first["previousAssignedTo"], first["transferred"]],
      [operators.ana, null, false],
    );
    assertEquals(await readAssignment(service), { transfers: 0, notes: [], emails: 1 });

    const same = await assign(operators.ana);
    assertEquals([same["transferred"], same["previousAssignedTo"]], [false, operators.ana]);
    assertEquals(await readAssignment(service), { transfers: 0, notes: [], emails: 1 });

    const second = await assign(operators.bia);
    assertEquals(
      [second["assignedTo"], second["previousAssignedTo"], second["transferred"]],
      [operators.bia, operators.ana, true],
    );
    const { transfers, notes, emails } = await readAssignment(service);
    assertEquals([transfers, notes.length, emails], [1, 1, 2]);
    assertMatch(notes[0] ?? "", /ana\.souza.*bia\.lima/s);
  });
}

Deno.test("specification 3, Operator assignment: the department is kept when omitted, and told", async () => {
  await using service = await startService();
  const path = `${conversationsApi}/assign`;
  const departmentId = "d0000000-0000-4000-8000-000000000011";
  const assignTo = "ana@example.com";
  assertEquals((await service.post(path, { ...demoTarget, assignTo })).departmentId, null);
  const given = await service.post(path, { ...demoTarget, assignTo, departmentId });
  assertEquals(given.departmentId, departmentId);
  assertEquals((await service.post(path, { ...demoTarget, assignTo })).departmentId, departmentId);
});

Deno.test("specification 3, AI agent pause: 30 minutes from each send that is not the agent's own", async () => {
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
