/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
import { assert, assertEquals, assertMatch } from "../../../tests/support/assert.ts";
import { createTestDatabase } from "../../../tests/support/database/database.ts";
import { startTestServer } from "../../../tests/support/doubles/test_server.ts";
import { findFreePort } from "../../../tests/support/free_port.ts";
import { makeTemporaryFolder, startLocalStack } from "../../../tests/support/stack/local_stack.ts";
import { readOperations } from "./descriptions.ts";
import { everyOperation, type Step, writeWorkflow } from "./every_operation.ts";
import { type N8n, openN8n, packNodes } from "./n8n_program.ts";
import { startRelay } from "./relay.ts";
import { prepareService } from "./prepared_service.ts";
import { followTrigger, triggeredWorkflow } from "./trigger_run.ts";
import { followQuestions, waitingWorkflow } from "./waiting_run.ts";

const phone = "5511988880001";
/** Where `deno task test:n8n` has installed n8n. */
const folder = Deno.env.get("N8N_FOLDER");
const manual = { type: "n8n-nodes-base.manualTrigger", typeVersion: 1, parameters: {} };
const without = " (skipped: deno task test:n8n installs n8n, 2.9 GB)";

Deno.test({
  name: `the nodes in n8n${folder === undefined ? without : ""}`,
  ignore: folder === undefined,
  fn: async (t) => {
    await using database = await createTestDatabase({ own: true });
    await using data = await makeTemporaryFolder();
    await using home = await makeTemporaryFolder();
    await using stack = await startLocalStack({ dataDir: data.path, databaseUrl: database.url });
    await using files = startTestServer(() =>
      new Response("%PDF-1.7", { headers: { "content-type": "application/pdf" } })
    );
    await using relay = startRelay(stack.origin);
    const packed = await packNodes(folder ?? "", `${home.path}/package`);
    const n8n = await openN8n({
      ...{ folder: folder ?? "", archive: packed.archive, home: home.path },
      databaseUrl: database.url,
    });
    const { demo, ...prepared } = await prepareService(stack, phone);
    await importInto(n8n, "credentials", [{
      id: "messagingCredential",
      name: "Messaging",
      type: "messagingIntegrationApi",
      data: { baseUrl: `${relay.origin}/`, token: demo.token, instanceId: "demo" },
    }]);
    const steps = everyOperation({ ...prepared, fileUrl: `${files.origin}/bill.pdf` });
    const workflows = [writeWorkflow("every", steps, manual), triggeredWorkflow, waitingWorkflow];
    await importInto(n8n, "workflow", workflows);
    const lost = "whose answer is lost";
    relay.loseAnswers(lost, 2);
    const results = await execute(n8n, "every");
    const first = (name: string): Record<string, unknown> => results[name]?.[0]?.json ?? {};
    const sent = await stack.readSimulator(`messages?to=${phone}&limit=100`);
    const countSent = (text: string): number =>
      sent.filter((message) => JSON.stringify(message).includes(text)).length;

    await t.step("every operation is executed by n8n", async () => {
      const operations = (await readOperations(packed.folder))
        .filter(({ routing }) => routing.request !== undefined);
      assertEquals(
        namesOf(steps),
        operations.map(({ resource, operation }) => `${resource}.${operation}`).sort(),
      );
      const failures = steps.flatMap(({ name }) => {
        const { error } = results[name]?.[0]?.json ?? { error: "no output" };
        return error === undefined ? [] : [`${name}: ${JSON.stringify(results[name])}`];
      });
      assertEquals(failures.length, 2, failures.join("\n"));
      assertMatch(failures[1] ?? "", /^message that is refused: /);
      assertMatch(failures[0] ?? "", /^conversation setControl: .*channel cannot carry this/);
    });

    await t.step("and the service does it", () => {
      assertMatch(JSON.stringify(first("contact update")["fieldsUpdated"]), /company/);
      assertEquals(first("contact sanitizePhone")["sanitized"], phone);
      assertEquals(first("message get")["metadata"], { "order.id": "4711" });
      assertEquals(first("message get")["cardId"], "order-4711");
      assertEquals(results["message getAll"]?.length, 2);
      assertEquals(
        results["message getQueue"]?.map(({ json }) => json["messageId"]),
        [first("message of tomorrow")["messageId"]],
      );
      assertEquals(first("message cancel")["status"], "canceled");
      assertEquals(first("message of a stored file")["mode"], "sent");
      assertEquals(results["batch getRecipients"]?.length, 2);
      const expected = ["from a workflow", "from a binary field", "Hello, this is the assistant"];
      for (const text of expected) assertEquals(countSent(text), 1, text);
    });

    await t.step("an answer that is lost is asked for again by n8n's retry, and sent once", () => {
      const calls = relay.calls.filter(({ body }) => new TextDecoder().decode(body).includes(lost));
      const keys = calls.map(({ headers }) => headers.get("idempotency-key") ?? "");
      assertEquals([keys.length, new Set(keys).size, countSent(lost)], [3, 1, 1]);
      assertMatch(keys[0] ?? "", /^n8n_[0-9a-f]{64}$/);
      const all = relay.calls.flatMap(({ headers }) => headers.get("idempotency-key") ?? []);
      // Each other call has a key of its own.
      assertEquals(new Set(all).size, all.length - 2);
    });

    await t.step("a refusal says the service's words, its code and the field", () => {
      const refused = JSON.stringify(results["message that is refused"]);
      assertMatch(refused, /invalid_request/);
      assertMatch(refused, /optionList\.options\.0\.title: /);
    });

    const port = findFreePort();
    await using front = startRelay(`http://127.0.0.1:${port}`);
    for (const id of ["triggered", "waiting"]) {
      await n8n.command("update:workflow", `--id=${id}`, "--active=true");
    }
    await using server = await n8n.serve({ port, webhookUrl: front.origin });

    await t.step(
      "the trigger registers, refuses what is forged or replayed, starts once, and removes its endpoint",
      async () => await followTrigger({ server, front }, stack, demo),
    );

    await t.step(
      "a question puts the execution to wait, and its answer or the end of its time resumes it once",
      async () => await followQuestions({ server, front }, stack, database.admin),
    );
  },
});

type Results = Record<string, { json: Record<string, unknown> }[] | undefined>;

async function importInto(
  n8n: N8n,
  what: "credentials" | "workflow",
  value: unknown,
): Promise<void> {
  const file = `${n8n.home}/${what}.json`;
  await Deno.writeTextFile(file, JSON.stringify(value));
  await n8n.command(`import:${what}`, `--input=${file}`);
}

/** Executes a workflow. @throws {Error} with what n8n says where a node fails. */
async function execute(n8n: N8n, id: string): Promise<Results> {
  const output = await n8n.command("execute", `--id=${id}`, "--rawOutput");
  // Among lines of its log.
  const [json = ""] = /^\{$[\s\S]*?^\}$/m.exec(output) ?? [];
  assert(json !== "", output);
  const { data: { resultData } } = JSON.parse(json);
  if (resultData.error !== undefined) throw new Error(JSON.stringify(resultData.error));
  return Object.fromEntries(
    Object.entries<{ data?: { main: { json: Record<string, unknown> }[][] } }[]>(resultData.runData)
      .map(([name, [run]]) => [name, run?.data?.main[0]]),
  );
}

function namesOf(steps: readonly Step[]): string[] {
  const names = steps.filter(({ type }) => type === undefined)
    .map(({ parameters }) => `${parameters["resource"]}.${parameters["operation"]}`);
  assert(names.length > 50, `${names.length} steps`);
  return [...new Set(names)].sort();
}
