/** The function mcp beside the others, called over HTTP by the official client of the protocol. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Sql } from "postgres";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { inbound } from "../../support/fixtures/event_world.ts";
import type { ProviderKind } from "../../../shared/model/provider_kind.ts";
import { createTenant, type Tenant } from "../../support/fixtures/tenant.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createEveryApp } from "../contract/every_app.ts";

export interface ToolResult {
  readonly isError: boolean;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever a tool answers
  readonly found: any;
  /** The result as the protocol carries it. */
  readonly text: string;
  readonly bytes: number;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  listToolNames(): Promise<string[]>;
}

export interface McpWorld extends AsyncDisposable {
  readonly stack: MessagingStack;
  readonly admin: Sql;
  readonly tenant: Tenant;
  readonly url: string;
  /** Connects with a token; `bearer` sends it as clients without own headers do. */
  connect(token?: string, way?: "header" | "bearer"): Promise<McpClient>;
  /** Makes a contact, as a webhook would. @returns its id. */
  addContact(phone: string, name?: string): Promise<string>;
  /** Stores a message that the contact has written. */
  receive(contactId: string, text: string): Promise<void>;
  /** What the provider was asked to send. */
  readonly sent: readonly Record<string, unknown>[];
}

/** Starts it with one tenant. @param provider of its instance. */
export async function startMcpWorld(provider: ProviderKind = "zapi"): Promise<McpWorld> {
  const stack = await startMessagingStack();
  const apps = await createEveryApp(stack.services);
  const server = startTestServer((request) => {
    const url = new URL(request.url);
    const path = url.pathname.replace("/functions/v1", "");
    const app = apps.get(path.split("/")[1] ?? "");
    return app?.request(path + url.search, request) ?? new Response(null, { status: 404 });
  });
  const { admin } = stack;
  const tenant = await createTenant(admin, { provider, baseUrl: stack.provider.baseUrl });
  const url = `${server.origin}/functions/v1/mcp`;
  return {
    stack,
    admin,
    tenant,
    url,
    connect: (token = tenant.token, way = "header") => connect(url, token, way),
    addContact: async (phone, name = "Ana") => {
      const [row] = await admin`
        insert into messaging.contacts (instance_id, phone, identity_key, origin, name)
        values (${tenant.instanceId}, ${phone}, ${phone}, 'inbound', ${name}) returning id`;
      return row?.["id"];
    },
    receive: async (contactId, text) => {
      const [contact] = await admin`select phone from messaging.contacts where id = ${contactId}`;
      const event = inbound(`in-${crypto.randomUUID()}`, {
        address: contact?.["phone"],
        message: text,
      });
      await callFunction(admin, "record_provider_events", {
        ...{ instanceId: tenant.instanceId, events: [event] },
      });
    },
    get sent() {
      return stack.provider.requests.map(({ json }) => json);
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

async function connect(url: string, token: string, way: "header" | "bearer"): Promise<McpClient> {
  const headers: Record<string, string> = way === "header"
    ? { "X-Client-Token": token }
    : { Authorization: `Bearer ${token}` };
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return {
    client,
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content as { text: string }[];
      const text = first?.text ?? "";
      return {
        isError: result.isError === true,
        found: result.structuredContent ?? (text === "" ? null : JSON.parse(text)),
        text,
        bytes: new TextEncoder().encode(JSON.stringify({
          content: result.content,
          structuredContent: result.structuredContent,
        })).length,
      };
    },
    listToolNames: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A text as a tool shows it, without its quote marks. @throws where it stands in none. */
export function unquote(value: unknown): string {
  const [, name, text] =
    /^<(quote-[0-9a-f]{12})>([^]*)<\/quote-[0-9a-f]{12}>$/.exec(String(value)) ?? [];
  if (name === undefined || text === undefined || !String(value).endsWith(`</${name}>`)) {
    throw new Error(`${value} is not quoted`);
  }
  return text;
}
