import { providerKinds } from "../../shared/model/provider_kind.ts";
import { assertEquals } from "../support/assert.ts";
import { listFolders, readSourceFiles } from "./repository.ts";
import { parseSourceFile, type SourceFile } from "./source_file.ts";

const sending = [
  "batches-api",
  // Blocks on the channel.
  "contacts-api",
  // Says who holds a conversation.
  "conversations-api",
  "dispatch-queue",
  // Edits, deletes, marks as read.
  "messages-api",
  "process-ai-agent",
  "send-message",
  "send-template-message",
] as const;

/** connect sends a test message. */
const senders = [...sending, "connect"].sort();

/** The functions whose upload holds a file of a provider's folder; the others hold none of it. */
const usersByFile: Readonly<Record<string, readonly string[]>> = {
  "provider.ts": senders,
  "request.ts": senders,
  "events.ts": ["provider-webhook"],
  "event_content.ts": ["provider-webhook"],
  "webhook.ts": ["provider-webhook"],
  "template_list.ts": ["admin-api", "connect"],
  "connection.ts": ["admin-api", "connect"],
  "docs.ts": [],
  "descriptor.ts": [],
};

/** The files that an upload of `entry` holds: what it imports, at once or when needed, as values. */
function listReached(files: ReadonlyMap<string, SourceFile>, entry: string): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const { target, isTypeOnly } of files.get(path)?.imports ?? []) {
      if (target !== null && !isTypeOnly) reached.add(target);
    }
  }
  return reached;
}

/** The functions that reach a file of this name in any provider's folder. */
async function findUsers(fileName: string): Promise<string[]> {
  const files = new Map(
    (await readSourceFiles("functions", "shared")).map((file) => [file.path, file]),
  );
  const paths = providerKinds.map((kind) => `shared/providers/${kind}/${fileName}`);
  return (await listFolders("functions")).filter((slug) => {
    const reached = listReached(files, `functions/${slug}/index.ts`);
    return paths.some((path) => reached.has(path));
  });
}

Deno.test("a function's upload holds only the parts of the providers that its role needs", async () => {
  for (const [fileName, users] of Object.entries(usersByFile)) {
    assertEquals(await findUsers(fileName), users, fileName);
  }
});

Deno.test("what a function imports when it is needed counts, a type does not", () => {
  const entry = "functions/a/index.ts";
  const files = new Map([
    parseSourceFile(entry, 'const load = () => import("./late.ts");\n'),
    parseSourceFile("functions/a/late.ts", 'import type { A } from "./type.ts";\n'),
  ].map((file) => [file.path, file]));
  assertEquals([...listReached(files, entry)], [entry, "functions/a/late.ts"]);
});
