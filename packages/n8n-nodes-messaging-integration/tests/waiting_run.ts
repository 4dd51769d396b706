/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** "Send and Wait for Response" in a running n8n: the answer resumes the execution, and so does the end of the time. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../../tests/support/assert.ts";
import type { LocalStack } from "../../../tests/support/stack/local_stack.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import { writeWorkflow } from "./every_operation.ts";
import { deliver } from "./relay.ts";
import { type ServedN8n, writeAs } from "./trigger_run.ts";

const phone = "5511977770077";
const question = "Shall we come?";

/** Asks who is named by the call that starts it, and tells that person what became of the question. */
export const waitingWorkflow = writeWorkflow("waiting", [
  {
    name: "question",
    parameters: {
      resource: "message",
      operation: "sendAndWait",
      contactBy: "phone",
      phone,
      question,
      accept: "choice",
      answerButtons: { button: [{ title: "Yes", id: "yes" }, { title: "No", id: "no" }] },
      answerWithin: 2,
      answerWithinUnit: "hours",
      additionalFields: { questionKey: "visit", queued: false },
    },
    settings: { onError: "stopWorkflow" },
  },
  {
    name: "end",
    parameters: {
      resource: "message",
      operation: "send",
      contactBy: "phone",
      phone,
      messageType: "text",
      message: "={{ 'it is ' + $json.status + ' ' + ($json.answer?.choice?.id ?? 'nothing') }}",
    },
  },
], {
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  parameters: { httpMethod: "POST", path: "ask", responseMode: "onReceived", options: {} },
  webhookId: "9f1b2c3d-0000-4000-8000-000000000002",
});

/** Follows a question to its answer, and another to the end of its time. */
export async function followQuestions(
  { front }: ServedN8n,
  stack: LocalStack,
  admin: Sql,
): Promise<void> {
  const countSent = async (words: string): Promise<number> =>
    (await stack.readSimulator(`messages?to=${phone}&limit=100`))
      .filter((message) => JSON.stringify(message).includes(words)).length;
  const ask = async (count: number): Promise<void> => {
    // n8n is ready before it has activated its workflows.
    await waitUntil(async () => {
      const started = await fetch(`${front.origin}/webhook/ask`, { method: "POST" });
      await started.body?.cancel();
      return started.ok;
    }, { what: "the workflow to start", timeoutMs: 60_000 });
    await waitUntil(async () => await countSent(question) === count, {
      what: "the question",
      timeoutMs: 60_000,
    });
    await waitUntil(async () => {
      const rows = await admin`select from n8n.execution_entity where status = 'waiting'`;
      return rows.length === 1;
    }, { what: "the execution to wait", timeoutMs: 60_000 });
  };
  const resumes = () => front.calls.filter(({ url }) => url.includes("/webhook-waiting/"));

  await ask(1);
  await writeAs(stack, phone, "one moment");
  await writeAs(stack, phone, "yes!");
  await waitUntil(async () => await countSent("it is answered yes") === 1, {
    what: "the workflow to go on with the answer",
    timeoutMs: 60_000,
  });
  const [resume] = resumes();
  assert(resume !== undefined && resume.url.includes("signature="), resume?.url);
  assertEquals(resumes().length, 1);
  const event = JSON.parse(new TextDecoder().decode(resume.body));
  assertEquals([event.type, event.data.key], ["question.answered", "visit"]);
  // Only the first answer counts. While the execution runs, n8n answers another by 409, afterwards with a page that
  // says so. It verifies its own signature first.
  await waitUntil(async () => {
    const rows =
      await admin`select from n8n.execution_entity where status in ('running', 'waiting')`;
    return rows.length === 0;
  }, { what: "the execution to end", timeoutMs: 60_000 });
  const forged = { ...resume, url: resume.url.replace("signature=", "signature=0") };
  const statuses = [];
  for (const delivery of [resume, forged]) {
    const again = await deliver(delivery);
    await again.body?.cancel();
    statuses.push(again.status);
  }
  assertEquals([statuses, await countSent("it is answered yes")], [[200, 401], 1]);

  await ask(2);
  await admin`
    update messaging.questions set expires_at = now(), due_at = now() where status = 'open'`;
  await waitUntil(async () => await countSent("it is expired nothing") === 1, {
    what: "the workflow to go on without an answer",
    timeoutMs: 90_000,
  });
  assertEquals([resumes().length, await countSent(question)], [2, 2]);
}
