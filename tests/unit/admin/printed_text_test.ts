import { AdminApiError } from "../../../supabase/admin/admin_api.ts";
import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { resourceDocs } from "../../../functions/admin-api/docs.ts";
import { toVisibleText } from "../../../shared/model/visible_text.ts";
import { assert, assertEquals } from "../../support/assert.ts";

/** Writes to the clipboard, clears the screen, turns the text, and begins a row of its own. */
const hostile = "\u001b]52;c;eA==\u0007\u009b2J\u202e\u200bx\nforged  1  2";

/** Answers to any question, as far as its kind of value allows with a text that a stranger has chosen. */
const answer = {
  success: true,
  ...{ currency: hostile, nextCursor: null, error: hostile, [hostile]: hostile },
  ...{ since: hostile, until: hostile, total: 1, acceptedSince: 1, name: hostile },
  instances: [{ instanceId: hostile }],
  attention: [{ instanceId: hostile, reason: hostile }],
  items: [{
    ...{ key: hostile, sent: 1, delivered: 1, free: 0, estimatedCost: "1", unknown: 0 },
    ...{ name: hostile, label: hostile, tokenId: hostile, language: "pt_BR", category: null },
    ...{ parameterFormat: "POSITIONAL", components: [{ text: hostile }], metadata: { hostile } },
    ...{ templateId: "t", providerStatus: hostile, providerTemplateId: "1", messageId: hostile },
  }],
};

const batch = {
  ...{ name: hostile, status: "finished", pauseReason: hostile, recipientCount: 1 },
  ...{ counts: { sent: 1 }, lastScheduledFor: hostile },
};

async function run(
  args: readonly string[],
  call: () => Promise<typeof answer> = () => Promise.resolve(answer),
): Promise<{ readonly out: string; readonly errors: string; readonly code: number }> {
  let [out, errors] = ["", ""];
  const code = await runAdminCommand({
    api: { call },
    print: (text) => void (out += text),
    printError: (text) => void (errors += text),
    readFile: (path) => Promise.reject(new Error(path)),
    writeFile: () => Promise.resolve(),
    listFolder: () => Promise.resolve([]),
    readStdin: () => Promise.resolve(""),
    readBatch: () => Promise.resolve(batch),
    wait: () => Promise.resolve(),
  }, args);
  return { out, errors, code };
}

const commands: readonly (readonly string[])[] = [
  ...resourceDocs.map(({ resource }) => [resource.path.slice(1), "list"]),
  ["usage", "i"],
  ["tokens", "list", "i"],
  ["tokens", "create", "i"],
  ["health"],
  ["queue", "may-have-left", "--messages"],
  ["templates", "show", hostile, "--instance", "i"],
  ["templates", "pull", "t", "--instance", "i"],
  ["batches", "watch", "b"],
];

Deno.test("nothing that a command prints commands a terminal or hides text", async () => {
  let shown = 0;
  for (const args of commands) {
    for (const options of [[], ["--json"]]) {
      const { out, errors } = await run([...options, ...args]);
      for (const text of [out, errors]) {
        assertEquals(toVisibleText(text), text, args.join(" "));
        assert(!text.includes("\nforged"), args.join(" "));
      }
      if (out.includes("\\u{1b}]52") || out.includes("\\u001b]52")) shown += 1;
    }
  }
  // The texts are there, in their visible form.
  assert(shown >= commands.length, `${shown} of ${commands.length * 2}`);
});

Deno.test("neither does an error", async () => {
  const { errors, code } = await run(["health"], () => Promise.reject(new AdminApiError(hostile)));
  assertEquals(code, 1);
  assertEquals(errors, `${toVisibleText(hostile)}\n`);
});
