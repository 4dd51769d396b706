/** messages-context over a database of its own, and messages to read there. */

import { callApp } from "../../support/stack/app_calls.ts";
import { createMediaLinks } from "../../../shared/media/links.ts";
import { testCredentialsKey } from "../../support/fixtures/tenant.ts";
import { functionsUrl } from "../../support/stack/messaging_stack.ts";
import { createMessagesContextApp } from "../../../functions/messages-context/app.ts";
import type { Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { identityKeyOf } from "../../../shared/model/phone.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { createTenant, type Tenant, type TenantOptions } from "../../support/fixtures/tenant.ts";

export const phone = "5511988887777";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
  readonly body: any;
}

/** Parameters of a request; undefined leaves one out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Columns of a message in the database's names; a received text by default. */
export type MessageColumns = Readonly<Record<string, unknown>>;

export interface ContextClient extends AsyncDisposable {
  readonly testDatabase: TestDatabase;
  readonly tenant: Tenant;
  /** Every call of the database, by name, in order. */
  readonly rpcNames: string[];
  readonly logLines: string[];
  /** GET with the tenant's token; `phone`, `start`, `end` and `instanceId` are filled in. */
  read(query?: Query, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  request(path: string, init?: RequestInit): Promise<Answer>;
  createTenant(options?: TenantOptions): Promise<Tenant>;
  /** A contact and its conversation. */
  createContact(contact?: ContactOptions): Promise<Contact>;
  /** Writes one message; returns its id. */
  write(contact: Contact, columns: MessageColumns): Promise<string>;
}

export interface ContactOptions {
  readonly tenant?: Tenant;
  readonly phone?: string;
  readonly name?: string | null;
}

export interface Contact {
  readonly instanceId: string;
  readonly contactId: string;
  readonly conversationId: string;
}

/** Use `await using`: it closes the connections and drops the database. */
export async function createContextClient(options: TenantOptions = {}): Promise<ContextClient> {
  await using cleanup = new AsyncDisposableStack();
  const testDatabase = cleanup.use(await createTestDatabase());
  const direct = openDirectDatabase(testDatabase.url);
  cleanup.defer(() => direct.close());
  const rpcNames: string[] = [];
  const database: Database = {
    rpc: (name, request) => {
      rpcNames.push(name);
      return direct.rpc(name, request);
    },
    close: () => direct.close(),
  };
  const logLines: string[] = [];
  const write = (event: string, fields: object): void =>
    void logLines.push(JSON.stringify({ event, ...fields }));
  const app = createMessagesContextApp({
    database,
    links: createMediaLinks({ credentialsKeys: testCredentialsKey, functionsUrl }),
    log: { info: write, error: write },
  });
  const tenant = await createTenant(testDatabase.admin, options);

  const request = async (path: string, init?: RequestInit): Promise<Answer> => {
    const { status, headers, text } = await readResponse(await callApp(app, path, init));
    return { status, headers, text, body: text === "" ? null : JSON.parse(text) };
  };
  const keep = cleanup.move();
  return {
    testDatabase,
    tenant,
    rpcNames,
    logLines,
    request,
    read: (query = {}, headers = {}) =>
      request(`/messages-context?${writeQuery({ ...defaultQuery(tenant), ...query })}`, {
        headers: { "X-Client-Token": tenant.token, ...headers },
      }),
    createTenant: (more = {}) => createTenant(testDatabase.admin, more),
    createContact: (contact = {}) => createContact(testDatabase, { tenant, ...contact }),
    write: (contact, columns) => writeMessage(testDatabase, contact, columns),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** The paths of `issues`. */
export function issuePaths(answer: Answer): string[] {
  return (answer.body.issues ?? []).map((issue: { path: string }) => issue.path).sort();
}

/** What the conversation's items say, oldest first. */
export function contents(answer: Answer): string[] {
  return answer.body.conversation.map((item: { content: string }) => item.content);
}

function defaultQuery(tenant: Tenant): Query {
  return { phone, start: "2026-03-01", end: "2026-03-31", instanceId: tenant.instanceId };
}

function writeQuery(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return new URLSearchParams(given).toString();
}

async function readResponse(
  response: Response,
): Promise<{ status: number; headers: Headers; text: string }> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function createContact(
  { admin }: TestDatabase,
  options: ContactOptions & { readonly tenant: Tenant },
): Promise<Contact> {
  const { instanceId } = options.tenant;
  const contactId = crypto.randomUUID();
  const conversationId = crypto.randomUUID();
  const own = options.phone ?? phone;
  await admin`
    insert into messaging.contacts (id, instance_id, phone, identity_key, name, origin)
    values (${contactId}, ${instanceId}, ${own}, ${identityKeyOf(own)}, ${options.name ?? null},
      'api')`;
  await admin`
    insert into messaging.conversations (id, instance_id, contact_id)
    values (${conversationId}, ${instanceId}, ${contactId})`;
  return { instanceId, contactId, conversationId };
}

async function writeMessage(
  { admin }: TestDatabase,
  { instanceId, contactId, conversationId }: Contact,
  columns: MessageColumns,
): Promise<string> {
  const id = crypto.randomUUID();
  const isInbound = (columns["direction"] ?? "inbound") === "inbound";
  const row = {
    id,
    instance_id: instanceId,
    contact_id: contactId,
    conversation_id: conversationId,
    direction: "inbound",
    message_type: "text",
    status: isInbound ? "received" : "sent",
    sent_at: "2026-03-10T12:00:00Z",
    ...columns,
  };
  await admin`insert into messaging.messages ${admin(row)}`;
  return id;
}
