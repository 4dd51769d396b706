/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/**
 * Photographs the workflow of docs/questions.md in n8n's editor: `deno task docs:screenshot:n8n`. Needs
 * Chromium, and n8n where `deno task test:n8n` has installed it.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startThrowawayPostgres } from "../../../supabase/local/throwaway_postgres.ts";
import { findBrowser, openPage } from "../../../tests/support/browser/browser.ts";
import { findFreePort } from "../../../tests/support/free_port.ts";
import { makeTemporaryFolder } from "../../../tests/support/stack/local_stack.ts";
import { openN8n, packNodes } from "./n8n_program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = Deno.env.get("N8N_FOLDER") ?? join(root, ".local/n8n");
const owner = {
  ...{ email: "owner@example.com", password: "Correct-horse-1" },
  ...{ firstName: "Ana", lastName: "Alves" },
};
/** n8n binds a session to the browser that began it. */
const browserId = "picture";

const ends = ["answered", "expired", "canceled"];
const equals = (left: string, right: string) => ({
  conditions: {
    options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
    conditions: [{
      leftValue: left,
      rightValue: right,
      operator: { type: "string", operation: "equals" },
    }],
    combinator: "and",
  },
});

function node(
  name: string,
  place: readonly [x: number, y: number],
  type: string,
  typeVersion: number,
  parameters: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { id: crypto.randomUUID(), name, position: place, type, typeVersion, parameters };
}

const credential = { id: "messagingCredential", name: "Messaging" };

const to = (name: string) => [{ node: name, type: "main", index: 0 }];
const messaging = "n8n-nodes-messaging-integration.messagingIntegration";

const workflow = {
  ...{ id: "visit", name: "Confirm a visit", active: false, settings: {} },
  nodes: [
    node("Visit tomorrow", [0, 100], "n8n-nodes-base.formTrigger", 2.2, {
      formTitle: "Visit",
      formFields: { values: [{ fieldLabel: "phone" }] },
    }),
    {
      ...node("Shall we come?", [240, 100], messaging, 1, {
        ...{ resource: "message", operation: "sendAndWait", contactBy: "phone" },
        ...{ phone: "={{ $json.phone }}", question: "Shall we come tomorrow at nine?" },
        accept: "choice",
        answerButtons: { button: [{ title: "Yes", id: "yes" }, { title: "No", id: "no" }] },
        ...{ answerWithin: 4, answerWithinUnit: "hours", additionalFields: { remindAfter: 60 } },
      }),
      credentials: { messagingIntegrationApi: credential },
    },
    node("How it ended", [480, 100], "n8n-nodes-base.switch", 3.2, {
      rules: {
        values: ends.map((status) => ({
          ...equals("={{ $json.status }}", status),
          renameOutput: true,
          outputKey: status,
        })),
      },
    }),
    node(
      "Yes?",
      [740, 0],
      "n8n-nodes-base.if",
      2.2,
      equals("={{ $json.answer.choice.id }}", "yes"),
    ),
    node("Confirm the visit", [980, -80], "n8n-nodes-base.noOp", 1, {}),
    node("Offer another day", [980, 80], "n8n-nodes-base.noOp", 1, {}),
    node("Task for a person", [740, 220], "n8n-nodes-base.noOp", 1, {}),
  ],
  connections: {
    "Visit tomorrow": { main: [to("Shall we come?")] },
    "Shall we come?": { main: [to("How it ended")] },
    "How it ended": { main: [to("Yes?"), to("Task for a person"), []] },
    "Yes?": { main: [to("Confirm the visit"), to("Offer another day")] },
  },
};

/** @throws {Error} where n8n does not show the workflow. */
async function takePicture(browserPath: string, path: string): Promise<void> {
  await using home = await makeTemporaryFolder();
  await using database = await startThrowawayPostgres();
  const { archive } = await packNodes(folder, `${home.path}/package`);
  const { databaseUrl } = database;
  await using n8n = await openN8n({ folder, archive, home: home.path, databaseUrl });
  const data = { baseUrl: "https://api.example.com", token: "mia_example", instanceId: "demo" };
  const imported = {
    credentials: { ...credential, type: "messagingIntegrationApi", data },
    workflow,
  };
  for (const [what, value] of Object.entries(imported)) {
    const file = `${home.path}/${what}.json`;
    await Deno.writeTextFile(file, JSON.stringify([value]));
    await n8n.command(`import:${what}`, `--input=${file}`);
  }
  const port = findFreePort();
  await using server = await n8n.serve({ port, webhookUrl: `http://127.0.0.1:${port}` });
  await using browser = await openPage(browserPath, { width: 1_280, height: 560 });
  const { page } = browser;
  await page.addInitScript(`localStorage.setItem("n8n-browserId", "${browserId}")`);
  const answer = await page.request.post(`${server.origin}/rest/owner/setup`, {
    headers: { "browser-id": browserId },
    data: owner,
  });
  if (!answer.ok()) throw new Error(`n8n's owner: ${answer.status()}`);
  await page.goto(`${server.origin}/workflow/${workflow.id}`);
  await page.getByText("Task for a person").waitFor();
  await page.keyboard.press("1");
  await page.waitForTimeout(2_000);
  await page.screenshot({ path });
}

const browserPath = await findBrowser();
if (browserPath === null) {
  // deno-lint-ignore no-console -- a task for a person at a terminal
  console.error("No Chromium is installed: on Debian, apt-get install chromium.");
  Deno.exit(1);
}
await takePicture(browserPath, join(root, "docs/images/n8n_question.png"));
