/** Voice messages are written down where the AI endpoint offers it, for the history and for the agent. */

import type { TranscribeVoice } from "../../../shared/model/transcribe_voice.ts";
import type { ChatModelConfig } from "../../../shared/runtime/config.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { complete } from "../agents/agent_client.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { createFileClient, type FileClient, serveFiles } from "./received_file_client.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

const voice = padded(heads.ogg, 30_000);
const words = "Bom dia, a peça chegou quebrada";

interface Asked {
  readonly path: string;
  readonly model: unknown;
  readonly bytes: number;
  readonly fileName: string;
}

interface AiEndpoint extends AsyncDisposable {
  readonly asked: Asked[];
  /** What the agent asked, as text. */
  readonly prompts: string[];
  readonly chatModel: ChatModelConfig;
}

/** An endpoint that writes down what it is given, and speaks for the agent. */
function startAiEndpoint(answer: () => Response): AiEndpoint {
  const asked: Asked[] = [];
  const prompts: string[] = [];
  const server = startTestServer(
    async (request) => {
      const path = new URL(request.url).pathname;
      if (path.endsWith("/chat/completions")) {
        prompts.push(await request.text());
        return complete("Sinto muito!");
      }
      const form = await request.formData();
      const file = form.get("file") as File;
      const { size: bytes, name: fileName } = file;
      asked.push({ path, model: form.get("model"), bytes, fileName });
      return answer();
    },
  );
  return {
    asked,
    prompts,
    chatModel: { baseUrl: `${server.origin}/v1`, apiKey: "sk-test" },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function receiveVoice(files: FileClient, tenant: Tenant): Promise<void> {
  const { provider } = files.client.stack;
  provider.answer = serveFiles({ "/voice": voice });
  await files.receiveZapi(tenant, "/voice", {
    audio: { audioUrl: `${provider.baseUrl}/voice`, mimeType: "audio/ogg; codecs=opus" },
  });
}

async function transcribe({ client }: FileClient, mode: TranscribeVoice): Promise<void> {
  await client.stack.admin`update messaging.instances set transcribe_voice = ${mode}`;
}

async function readContent(files: FileClient, tenant: Tenant): Promise<string[]> {
  const { body } = await files.client.history(tenant);
  return body.conversation[0].content.split("\n");
}

/**
 * For how many seconds from the voice message on the agent waits, 0 where it waits no more; null where
 * no answer was asked for.
 */
async function agentWaits(files: FileClient): Promise<number | null> {
  const [row] = await files.client.stack.admin`
    select case
      when o.attempts > 0 or o.settled_at is not null or o.run_at <= clock_timestamp() then 0
      else extract(epoch from o.run_at - o.created_at)::float end as seconds
    from messaging.outbox o where o.kind = 'agent_reply'`;
  return row?.["seconds"] ?? null;
}

Deno.test("a voice message is written down: the history marks its words, and the agent reads them", async () => {
  await using ai = startAiEndpoint(() => Response.json({ text: words }));
  await using files = await createFileClient({ chatModel: ai.chatModel });
  const { client } = files;
  const tenant = await client.createTenant();
  await createAgent(client.stack.admin, tenant.instanceId);
  await receiveVoice(files, tenant);
  const waits = await agentWaits(files);
  // Half a minute for the words, and what the recording itself took.
  assert(waits !== null && waits >= 30 && waits < 60, `${waits}`);
  await files.fetchFiles();
  await files.fetchFiles();
  assertEquals(await agentWaits(files), 0);
  const [{ path, model: asked, bytes, fileName } = ai.asked[0]!] = ai.asked;
  assertEquals([path, asked, bytes], ["/v1/audio/transcriptions", "whisper-1", voice.byteLength]);
  assert(fileName.endsWith(".ogg"));
  const [first, second = ""] = await readContent(files, tenant);
  assertEquals(first, `[transcript] ${words}`);
  assert(second.startsWith("https://"));
  const raw = await client.history(tenant, { format: "raw" });
  assertEquals([raw.body.messages[0].transcript, raw.body.messages[0].message], [words, null]);
  const prompt = await waitUntil(async () => {
    await client.stack.dispatch({ durationMs: 50 });
    return ai.prompts[0];
  }, { what: "the agent's question" });
  assert(prompt.includes(`[transcript] ${words}`) && prompt.includes("/media-api/links/"));
});

const failures: readonly (readonly [name: string, answer: () => Response])[] = [
  ["does not offer it", () => new Response(null, { status: 404 })],
  ["does not understand it", () => Response.json({ text: "  " })],
  ["answers nonsense", () => new Response("<html>")],
];

for (const [name, answer] of failures) {
  Deno.test(`where the endpoint ${name}, nothing changes but that there are no words`, async () => {
    await using ai = startAiEndpoint(answer);
    await using files = await createFileClient({ chatModel: ai.chatModel });
    const { client } = files;
    const tenant = await client.createTenant();
    await createAgent(client.stack.admin, tenant.instanceId);
    await receiveVoice(files, tenant);
    await files.fetchFiles();
    await files.fetchFiles();
    assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
    assertEquals((await readContent(files, tenant)).length, 1);
    // The agent answers without them.
    assertEquals(await agentWaits(files), 0);
    const open = await client.stack.admin`
      select from messaging.outbox where kind = 'media_transcription' and settled_at is null`;
    assertEquals([open.length, ai.asked.length], [0, 1]);
  });
}

Deno.test("an endpoint that fails is asked three times, and then left alone", async () => {
  await using ai = startAiEndpoint(() => new Response(null, { status: 500 }));
  await using files = await createFileClient({ chatModel: ai.chatModel });
  const { client } = files;
  const tenant = await client.createTenant();
  await transcribe(files, "always");
  await receiveVoice(files, tenant);
  await files.fetchFiles();
  for (let attempt = 0; attempt < 4; attempt++) await files.fetchAgain();
  assertEquals(ai.asked.length, 3);
  assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
});

Deno.test("an instance that does without transcripts sends no voice anywhere, and its agent does not wait", async () => {
  await using ai = startAiEndpoint(() => Response.json({ text: words }));
  await using files = await createFileClient({ chatModel: ai.chatModel });
  const { client } = files;
  const tenant = await client.createTenant();
  await createAgent(client.stack.admin, tenant.instanceId);
  await transcribe(files, "never");
  await receiveVoice(files, tenant);
  // Three seconds for further messages; with words to wait for it would be thirty.
  assert((await agentWaits(files) ?? 99) < 20);
  await files.fetchFiles();
  await files.fetchFiles();
  assertEquals(ai.asked.length, 0);
  assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
});

const silences: readonly (readonly [
  why: string,
  silence: (files: FileClient, tenant: Tenant) => Promise<unknown>,
])[] = [
  [
    "the instance's agent is not active",
    ({ client }) => client.stack.admin`update messaging.ai_agents set is_active = false`,
  ],
  [
    "a person has taken over",
    ({ client }, tenant) =>
      client.receive(tenant, { fromMe: true, messageId: "TYPED", text: { message: "Oi" } }),
  ],
  [
    "the contact is blocked",
    ({ client }) => client.stack.admin`update messaging.contacts set is_blocked = true`,
  ],
];

for (const [why, silence] of silences) {
  for (const moment of ["before", "after"] as const) {
    Deno.test(`where ${why} ${moment} a voice message came, it goes nowhere, but with always`, async () => {
      for (const [mode, asked] of [["agent", 0], ["always", 1]] as const) {
        await using ai = startAiEndpoint(() => Response.json({ text: words }));
        await using files = await createFileClient({ chatModel: ai.chatModel });
        const { client } = files;
        const tenant = await client.createTenant();
        await client.receive(tenant, { messageId: "IN1", text: { message: "oi" } });
        await createAgent(client.stack.admin, tenant.instanceId);
        await transcribe(files, mode);
        if (moment === "before") await silence(files, tenant);
        await receiveVoice(files, tenant);
        if (moment === "after") await silence(files, tenant);
        await files.fetchFiles();
        await files.fetchFiles();
        assertEquals([mode, ai.asked.length], [mode, asked]);
        assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
      }
    });
  }

  Deno.test(`where ${why} between two tries to write it down, the second one is left out`, async () => {
    await using ai = startAiEndpoint(() => new Response(null, { status: 500 }));
    await using files = await createFileClient({ chatModel: ai.chatModel });
    const { client } = files;
    const tenant = await client.createTenant();
    await createAgent(client.stack.admin, tenant.instanceId);
    await receiveVoice(files, tenant);
    await files.fetchFiles();
    await files.fetchFiles();
    assertEquals(ai.asked.length, 1);
    await silence(files, tenant);
    await client.stack.admin`
      update messaging.outbox set run_at = now() where kind = 'media_transcription'`;
    await files.fetchFiles();
    const open = await client.stack.admin`
      select from messaging.outbox where kind = 'media_transcription' and settled_at is null`;
    assertEquals([ai.asked.length, open.length], [1, 0]);
  });
}
