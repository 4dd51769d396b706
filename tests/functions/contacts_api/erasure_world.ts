/** The whole service with a tenant of the official channel, and a person who has a full life there. */

import type { Sql } from "postgres";
import { signBody } from "../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { assertEquals } from "../../support/assert.ts";
import {
  createAgent,
  createOperator,
  type Tenant,
  type TenantOptions,
} from "../../support/fixtures/tenant.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type ContractStack, startContractStack } from "../contract/contract_stack.ts";
import { startReceiver } from "../webhooks/webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;

// deno-lint-ignore no-explicit-any -- tests assert on whatever the service answers
type Body = any;

export interface ServiceAnswer {
  readonly status: number;
  readonly body: Body;
}

export interface ErasureWorld extends AsyncDisposable {
  readonly contract: ContractStack;
  readonly stack: ContractStack["stack"];
  readonly sql: Sql;
  readonly tenant: Tenant;
  /** A call of the tenant; `path` begins with the function's name. */
  call(
    method: string,
    path: string,
    body?: Json,
    options?: { readonly tenant?: Tenant; readonly key?: string },
  ): Promise<ServiceAnswer>;
  /** A call that must succeed. */
  succeed(method: string, path: string, body?: Json, key?: string): Promise<Body>;
  /** A webhook of the official channel, signed. */
  receive(...values: readonly Json[]): Promise<ServiceAnswer>;
  /** Erases, and lets the dispatcher work until the erasure is done. Returns the erasure. */
  erase(contactId: string): Promise<Body>;
}

export const person = {
  phone: "5511987654321",
  shortPhone: "551187654321",
  userId: "BR.9XJQRIBA77",
  name: "Joaquim Ribanceira",
  email: "quincas@ribanceira.example",
} as const;

export const neighbour = { phone: "5521912345678", name: "Vizinha Calma" } as const;

/**
 * Everything that tells of the person: the number in every spelling, names, each of the words. None is so
 * short that a random secret in base64 may hold it by chance.
 */
export const traces: readonly string[] = [
  ...[person.phone, person.shortPhone, "98765-4321", "87654321", person.userId],
  ...["joaquim", "ribanceira", "quincas"],
  ...[
    "jabuticaba",
    "bergamota",
    "guaraná",
    "pitomba",
    "cupuaçu",
    "graviola",
    "mangaba",
    "umbuzeiro",
  ],
  ...["cajarana", "seriguela", "sapoti", "araticum", "bacuri", "murici", "tucumã", "camu-camu"],
  ...["cambuci", "cagaita", "jatobá", "uvaieira"],
];

/** A word that only the person's files hold. */
export const wordInFiles = "pitanga";

/** Starts the service; disposing ends everything. */
export async function startErasureWorld(options: TenantOptions = {}): Promise<ErasureWorld> {
  const contract = await startContractStack();
  const { stack } = contract;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud", ...options });
  const call: ErasureWorld["call"] = async (method, path, body, further = {}) => {
    const { tenant: caller = tenant, key } = further;
    const slug = path.split(/[/?]/)[0] ?? "";
    const response = await contract.request(slug, `/${path}`, {
      method,
      headers: {
        "X-Client-Token": caller.token,
        "Content-Type": "application/json",
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
      },
      ...(body === undefined
        ? {}
        : { body: JSON.stringify({ instanceId: caller.instanceId, ...body }) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const world: ErasureWorld = {
    contract,
    stack,
    sql: stack.admin,
    tenant,
    call,
    succeed: async (method, path, body, key) => {
      const answer = await call(method, path, body, key === undefined ? {} : { key });
      assertEquals(answer.body.success, true, `${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    receive: async (...values) => {
      const body = new TextEncoder().encode(JSON.stringify({
        object: "whatsapp_business_account",
        entry: values.map((value) => ({
          id: "102290129340398",
          changes: [{ field: "messages", value: { messaging_product: "whatsapp", ...value } }],
        })),
      }));
      const path = `/provider-webhook/whatsapp_cloud/${tenant.instanceId}`;
      const response = await contract.request("provider-webhook", path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-hub-signature-256": await signBody(body, "EAAG-secret-access"),
        },
        body,
      });
      return { status: response.status, body: await response.json() };
    },
    erase: async (contactId) => {
      const { status, body } = await call("DELETE", `contacts-api/contacts/${contactId}`);
      assertEquals([status, body.success], [202, true], JSON.stringify(body));
      return await finishErasure(world, body.erasureId);
    },
    [Symbol.asyncDispose]: () => contract[Symbol.asyncDispose](),
  };
  return world;
}

/** Lets the dispatcher work until the erasure is done. */
export async function finishErasure(world: ErasureWorld, erasureId: string): Promise<Body> {
  for (let run = 0; run < 50; run++) {
    const { status, body } = await world.call("GET", `contacts-api/erasures/${erasureId}`);
    assertEquals([status, body.success], [200, true], JSON.stringify(body));
    if (body.status === "done") return body;
    await world.stack.dispatch();
  }
  throw new Error("the erasure is not done");
}

/** A person in a webhook's `contacts`. */
export function sender({ phone, name }: { phone: string; name: string }, further: Json = {}): Json {
  return { profile: { name }, wa_id: phone, ...further };
}

/** A text in a webhook's `messages`. */
export function text(id: string, from: string, body: string, members: Json = {}): Json {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  return { from, id, timestamp, type: "text", text: { body }, ...members };
}

/** Gives the person a life that leaves traces wherever the service stores anything. */
export async function liveFully(world: ErasureWorld): Promise<{ readonly contactId: string }> {
  const { stack, tenant, succeed, receive } = world;
  await using receiver = startReceiver();
  receiver.answer = ({ body }) => new Response(`got ${body}`, { status: 200 });
  const headers = { "X-Client-Token": tenant.token, "Content-Type": "application/json" };
  for (const url of [receiver.url, receiver.url.replace("/hook", "/never")]) {
    await stack.request("/events-api/endpoints", {
      method: "POST",
      headers,
      body: JSON.stringify({ url }),
    });
  }
  const { phone, shortPhone } = person;
  const both = [sender(person, { user_id: person.userId }), sender(neighbour)];
  await receive({
    contacts: both,
    messages: [
      text("wamid.IN1", phone, "quero jabuticaba", { from_user_id: person.userId }),
      text("wamid.NB1", neighbour.phone, "bom dia"),
    ],
  });
  await receive({
    contacts: [sender(person)],
    messages: [{
      ...text("wamid.IN2", phone, ""),
      ...{ type: "image", text: undefined },
      image: { id: "MEDIA1", mime_type: "image/jpeg", caption: "a bergamota" },
    }],
  });
  const { contactId } = await succeed("POST", "contacts-api/update", {
    ...{ phone, name: person.name, email: person.email, company: "Guaraná & Filhos" },
    ...{
      notes: "gosta de pitomba",
      customLabels: { fruta: "cupuaçu" },
      tags: ["clube da graviola"],
    },
  }, "update-1");
  await succeed("POST", "send-message", {
    ...{ phone: shortPhone, messageType: "text", message: "temos mangaba" },
    ...{ metadata: { pedido: "umbuzeiro" }, cardId: "card-cajarana" },
  }, "send-1");
  await sendToOperators(world);
  await succeed("POST", "conversations-api/note", { phone, note: "prefere seriguela" }, "note-1");
  await createAgent(world.sql, tenant.instanceId);
  await succeed("POST", "process-ai-agent", {
    ...{ phone, messageText: "Olá {{fruta}}", initiateConversation: true },
    externalContext: { fruta: "sapoti" },
  }, "agent-1");
  await succeed("POST", "contacts-api/consent", {
    ...{ phone, marketing: "denied", evidence: "disse bacuri ao telefone" },
  }, "consent-1");
  await sendTemplate(world);
  await failToSend(world);
  await leaveWaiting(world);
  await exchangeFiles(world);
  await listInBatches(world);
  await receive({
    statuses: [
      {
        ...{ id: "wamid.UNKNOWN", status: "failed", recipient_id: phone },
        timestamp: `${Math.floor(Date.now() / 1_000)}`,
        errors: [{ code: 131_026, title: `${phone} undeliverable` }],
      },
    ],
  });
  await receive({
    contacts: [sender(neighbour)],
    messages: [text("wamid.NB2", neighbour.phone, "obrigada")],
  });
  await succeed("POST", "send-message", {
    ...{ phone: neighbour.phone, messageType: "text", message: "de nada" },
  }, "send-neighbour");
  // The endpoint's receiver is gone after this: its next deliveries stay waiting.
  await stack.dispatch({ durationMs: 400 });
  await world.stack.finishBackground();
  await storeFiles(world);
  return { contactId };
}

/** Two operators, whose e-mails are not delivered, and nobody in the end. */
async function sendToOperators({ stack, sql, tenant, succeed }: ErasureWorld): Promise<void> {
  stack.mail.answer = () => new Response("{}", { status: 422 });
  for (const name of ["ana", "bia"]) {
    const email = `${name}@example.com`;
    await createOperator(sql, tenant.workspaceId, { name, email });
    await succeed("POST", "conversations-api/assign", {
      ...{ phone: person.phone, assignTo: email, portfolio: true },
    }, `assign-${name}`);
  }
  await stack.dispatch();
  await succeed("POST", "conversations-api/unassign", { phone: person.phone }, "unassign-1");
}

async function sendTemplate({ sql, tenant, succeed }: ErasureWorld): Promise<void> {
  const templateId = crypto.randomUUID();
  await sql`
    insert into messaging.message_templates (
      id, workspace_id, instance_id, name, language, parameter_format, components,
      provider_status, provider_template_id
    ) values (
      ${templateId}, ${tenant.workspaceId}, ${tenant.instanceId}, 'oferta', 'pt_BR', 'NAMED',
      ${sql.json([{ type: "BODY", text: "Hoje há {{fruta}}" }])}, 'APPROVED', '777'
    )`;
  await succeed("POST", "send-template-message", {
    ...{ phone: person.phone, templateId, variables: { fruta: "murici" } },
  }, "template-1");
}

/** The provider refuses, and repeats number and words in its answer. */
async function failToSend({ stack, call }: ErasureWorld): Promise<void> {
  const { answer } = stack.provider;
  stack.provider.answer = () =>
    Response.json(
      { error: { code: 131_026, message: `${person.phone} cannot get tucumã` } },
      { status: 400 },
    );
  const message = { phone: person.phone, messageType: "text", message: "resta tucumã" };
  const failed = await call("POST", "send-message", message, { key: "send-failed" });
  assertEquals(failed.status, 502);
  stack.provider.answer = answer;
}

/** One message waits for an hour, and one in the queue behind the one that leaves. */
async function leaveWaiting({ stack, call, succeed }: ErasureWorld): Promise<void> {
  const message = { phone: person.phone, messageType: "text", message: "amanhã camu-camu" };
  await succeed("POST", "send-message", { ...message, delayMessage: 3_600 }, "delayed-1");
  await call("POST", "send-message", { ...message, queued: true, intervalSeconds: 60 });
  await stack.finishBackground();
  await succeed("POST", "send-message", { ...message, queued: true, intervalSeconds: 3_600 });
}

/** A document with the person's name, a voice message, and an uploaded picture that is sent. */
async function exchangeFiles({ stack, receive, succeed }: ErasureWorld): Promise<void> {
  const { answer, baseUrl } = stack.provider;
  stack.provider.answer = (request) => {
    const file = /(?:^|\/)(DOC1|VOICE1)(\/content)?$/.exec(request.path);
    if (file === null) return answer(request);
    const [, id = "", isContent] = file;
    if (isContent === undefined) return Response.json({ url: `${baseUrl}/${id}/content` });
    const head = id === "DOC1" ? `%PDF-1.7 ${wordInFiles}` : `${heads.ogg}${wordInFiles}`;
    return new Response(padded(head, 2_000));
  };
  const document = { id: "DOC1", mime_type: "application/pdf", filename: `${person.name}.pdf` };
  const audio = { id: "VOICE1", mime_type: "audio/ogg; codecs=opus", voice: true };
  await receive({
    contacts: [sender(person)],
    messages: [
      {
        ...text("wamid.IN3", person.phone, ""),
        ...{ type: "document", text: undefined },
        document,
      },
      { ...text("wamid.IN4", person.phone, ""), ...{ type: "audio", text: undefined }, audio },
    ],
  });
  const { mediaId } = await succeed("POST", "media-api/media", {
    url: "https://files.example.com/joaquim-ribanceira.png",
  });
  await succeed("POST", "send-message", {
    ...{ phone: person.phone, messageType: "image", mediaId, message: "veja a cagaita" },
  }, "send-file");
}

/** Lets the dispatcher fetch the files; the voice message is written down. */
async function storeFiles({ stack, sql }: ErasureWorld): Promise<void> {
  await waitUntil(async () => {
    await stack.dispatch({ durationMs: 100 });
    const rows = await sql<{ status: string }[]>`
      select status from messaging.media
      where origin = 'channel' and kind in ('document', 'audio')`;
    return rows.length === 2 && rows.every(({ status }) => status === "stored");
  }, { what: "the received files" });
  await sql`
    update messaging.media set transcript = 'prefere cambuci' where kind = 'audio'`;
}

/** A draft that waits with the person in it, and a batch that runs and has sent to the neighbour alone. */
async function listInBatches({ succeed }: ErasureWorld): Promise<void> {
  const recipients = [neighbour, person].map(({ phone, name }) => ({
    ...{ phone, variables: { nome: name, fruta: "jatobá" }, metadata: { lote: "uvaieira" } },
  })).map((recipient, place) => place === 0 ? { phone: recipient.phone } : recipient);
  const batch = { message: { messageType: "text", message: "Oi {{nome}}: {{fruta}}" }, recipients };
  await succeed("POST", "batches-api/batches", { ...batch, validation: "permissive" });
  const { batchId } = await succeed("POST", "batches-api/batches", {
    ...batch,
    validation: "permissive",
    intervalSeconds: 3_600,
  });
  await succeed("POST", `batches-api/batches/${batchId}/start`, {});
}

/** Which stored files hold the word. */
export function findFiles({ stack }: ErasureWorld, word = wordInFiles): string[] {
  return [...stack.storage.files].filter(([, bytes]) =>
    new TextDecoder("latin1").decode(bytes).includes(word)
  ).map(([path]) => path);
}

/** Where the database holds one of these words, in any column of any table: `table: word`. */
export async function findTraces(sql: Sql, words: readonly string[] = traces): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname in ('messaging', 'public')
    order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ word: string }[]>(
      `with rows as materialized (select lower(t::text) as row from ${name} as t),
         words as materialized (
           select w.word, lower(w.word) as plain, lower(trim('"' from to_json(w.word)::text)) as escaped
           from unnest($1::text[]) as w(word)
         )
       select distinct w.word from rows r
       join words w on strpos(r.row, w.plain) > 0 or strpos(r.row, w.escaped) > 0`,
      [[...words]],
    );
    found.push(...rows.map(({ word }) => `${name}: ${word}`));
  }
  return found;
}

/**
 * All rows that name the neighbour, by table. Of the outbox what is to be done: the dispatcher may have
 * tried it meanwhile, and tries again later.
 */
export async function readNeighbour(sql: Sql): Promise<Record<string, string[]>> {
  const [row] = await sql`
    select c.id, v.id as conversation_id from messaging.contacts c
    join messaging.conversations v on v.contact_id = c.id where c.phone = ${neighbour.phone}`;
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'messaging'::regnamespace and relkind in ('r', 'p') order by 1`;
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await sql.unsafe<{ text: string }[]>(
      `select ${
        name === "outbox" ? "row(t.id, t.workspace_id, t.kind, t.payload)" : "t"
      }::text as text from messaging.${name} t
       where t::text ~ $1 order by 1`,
      [`${row?.["id"]}|${row?.["conversation_id"]}|${neighbour.phone}`],
    );
    rows[name] = found.map(({ text }) => text);
  }
  return rows;
}
