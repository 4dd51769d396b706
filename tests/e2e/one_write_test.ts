/** How many pieces an answer of the running stack arrives in. */

import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { officialNumber, registerOfficialWebhook } from "../support/fixtures/official_customer.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  secretKey,
  type StackAnswer,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";

/**
 * Two writes arrive together where the reader is late, so one answer proves nothing. What is written
 * at once arrives at once on the loopback interface, however late.
 */
const timesEach = 20;

interface Call {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: readonly string[];
}

const text = { phone: "5511988880001", messageType: "text", message: "Olá" };

Deno.test("a send's answer arrives in one piece: sent, queued, template, refused, with a rate limit and without, on new connections and on a kept one", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const { workspaceId } = await stack.administer("workspaces", { name: "Uma escrita" });
  const instance = await stack.createInstance({
    workspaceId,
    provider: "whatsapp_cloud",
    providerConfig: { ...officialNumber, baseUrl: `${stack.origin}/simulator/graph` },
  });
  await registerOfficialWebhook(stack, instance);
  const path = `instances/${instance.instanceId}`;
  const { items } = await administer(stack, "POST", `${path}/templates/sync`);
  const { templateId } = items.find(({ name }: { name: string }) => name === "pedido_enviado");
  const variables = { nome: "Lia", pedido: "4711", 1: "4711", button_1: "4711" };
  const template = { templateId, phone: text.phone, variables };
  const calls: Readonly<Record<string, Call>> = {
    "sent": { path: "send-message", body: text },
    "queued": { path: "send-message", body: { ...text, queued: true } },
    "template": { path: "send-template-message", body: template },
    "refused": { path: "send-message", body: {}, status: 400 },
    "of a browser that takes gzip": {
      ...{ path: "send-message", body: text },
      headers: ["Origin: https://crm.example.com", "Accept-Encoding: gzip"],
    },
  };
  for (const isLimited of [true, false]) {
    if (!isLimited) await administer(stack, "PATCH", path, { requestsPerMinute: null });
    for (const [what, call] of Object.entries(calls)) {
      for (const isKept of [false, true]) {
        for (const pieces of await exchange(stack, instance, call, isKept)) {
          const [answer = "", ...others] = pieces;
          assertEquals(others, [], `${what}: ${answer}`);
          assert(answer.startsWith(`HTTP/1.1 ${call.status ?? 200} `), `${what}: ${answer}`);
          assertEquals(/^ratelimit:/m.test(answer), isLimited, answer);
        }
      }
    }
  }
});

async function administer(
  { origin }: LocalStack,
  method: "POST" | "PATCH",
  path: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<StackAnswer["body"]> {
  const response = await fetch(`${origin}/functions/v1/admin-api/${path}`, {
    method,
    headers: { "apikey": secretKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** The pieces of each answer. */
async function exchange(
  { port }: LocalStack,
  { instanceId, token }: StackInstance,
  call: Call,
  isKept: boolean,
): Promise<string[][]> {
  const body = new TextEncoder().encode(JSON.stringify({ instanceId, ...call.body }));
  const head = [
    ...[`POST /functions/v1/${call.path} HTTP/1.1`, `Host: 127.0.0.1:${port}`],
    ...[`X-Client-Token: ${token}`, "Content-Type: application/json", ...call.headers ?? []],
    ...[`Content-Length: ${body.length}`, "", ""],
  ];
  const request = new Uint8Array([...new TextEncoder().encode(head.join("\r\n")), ...body]);
  const answers: string[][] = [];
  let connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    while (answers.length < timesEach) {
      if (!isKept) connection.close();
      if (!isKept) connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(request);
      answers.push(await readPieces(connection));
    }
  } finally {
    connection.close();
  }
  return answers;
}

/** What arrives until the answer's JSON is whole. */
async function readPieces(connection: Deno.Conn): Promise<string[]> {
  const buffer = new Uint8Array(65_536);
  const pieces: string[] = [];
  while (!/\r\n\r\n\{.*\}$/s.test(pieces.join(""))) {
    const size = await connection.read(buffer);
    assert(size !== null, pieces.join(""));
    pieces.push(new TextDecoder().decode(buffer.subarray(0, size)));
  }
  return pieces;
}
