import { assertEquals, assertMatch } from "../../support/assert.ts";
import { createDemoOperator, demoTarget, type Service, startService } from "../contract/service.ts";

const conversationsApi = "/functions/v1/conversations-api";
const sendMessage = "/functions/v1/send-message";

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

// Specification 3, Operator assignment.
for (const path of [`${conversationsApi}/assign`, sendMessage]) {
  Deno.test(`a change of operator through ${path} is transferred, logged, noted and e-mailed`, async () => {
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

// Specification 3, Operator assignment.
Deno.test("an assignment without a department keeps the former one and answers it", async () => {
  await using service = await startService();
  const path = `${conversationsApi}/assign`;
  const departmentId = "d0000000-0000-4000-8000-000000000011";
  const assignTo = "ana@example.com";
  assertEquals((await service.post(path, { ...demoTarget, assignTo })).departmentId, null);
  const given = await service.post(path, { ...demoTarget, assignTo, departmentId });
  assertEquals(given.departmentId, departmentId);
  assertEquals((await service.post(path, { ...demoTarget, assignTo })).departmentId, departmentId);
});
