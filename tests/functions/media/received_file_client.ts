/** A contact who sends files, by each provider's webhook, and the services that keep them. */

import { createHash } from "node:crypto";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import type { DoubleAnswer } from "../../support/doubles/http_double.ts";
import type { StackOptions } from "../../support/stack/messaging_stack.ts";
import {
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Body = any;
type Json = Readonly<Record<string, unknown>>;
type Bytes = ReturnType<TextEncoder["encode"]>;

export interface FileClient extends AsyncDisposable {
  readonly client: WebhookClient;
  /** Z-API's webhook names a file at this path of the double, or at a whole URL. */
  receiveZapi(tenant: Tenant, path: string, part?: Json): Promise<void>;
  receiveCloud(tenant: Tenant, type: string, file: Json): Promise<void>;
  receiveEvolution(tenant: Tenant, member: string, file: Json, part?: Json): Promise<void>;
  /** Fetches what is due. */
  fetchFiles(): Promise<void>;
  /** As `fetchFiles`, when the next attempt is due. */
  fetchAgain(): Promise<void>;
  /** messages-api's record of the contact's last message. */
  lastMessage(tenant: Tenant): Promise<Body>;
  /** What the last file's row says. */
  lastFile(): Promise<Body>;
}

/** Use `await using`: it stops the doubles and drops the database. */
export async function createFileClient(options: StackOptions = {}): Promise<FileClient> {
  const client = await createWebhookClient(options);
  const { stack } = client;
  // On a busy machine a short run may end before it looks at the outbox. What is put off until later is
  // left to `fetchAgain`, however long the runs have taken.
  const fetchFiles = async (): Promise<void> => {
    const [clock] = await stack.admin<{ now: string }[]>`select clock_timestamp()::text as now`;
    for (let runs = 0, isDue = true; isDue && runs < 20; runs++) {
      await stack.dispatch({ durationMs: 50 });
      const due = await stack.admin`
        select from messaging.outbox
        where kind like 'media\\_%' and settled_at is null and run_at <= clock_timestamp()
          and run_at <= greatest(${clock!.now}::timestamptz, created_at + interval '100 ms')`;
      isDue = due.length > 0;
    }
  };
  let count = 0;
  const nextId = (): string => `IN-${++count}`;
  return {
    client,
    receiveZapi: async (tenant, path, part = {}) => {
      const url = path.startsWith("/") ? stack.provider.baseUrl + path : path;
      const image = { imageUrl: url, mimeType: "image/jpeg", caption: "A peça" };
      await client.receive(tenant, {
        messageId: nextId(),
        ...("audio" in part || "document" in part ? {} : { image }),
        ...part,
      });
    },
    receiveCloud: async (tenant, type, file) => {
      await client.cloud(tenant, {
        object: "whatsapp_business_account",
        entry: [{
          id: "waba",
          changes: [{
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { phone_number_id: tenant.gatewayInstanceId },
              messages: [{
                from: phone,
                id: nextId(),
                timestamp: String(Math.floor(Date.now() / 1_000)),
                type,
                [type]: file,
              }],
            },
          }],
        }],
      });
    },
    receiveEvolution: async (tenant, member, file, part = {}) => {
      await client.evolution(tenant, {
        event: "messages.upsert",
        data: {
          key: { remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, id: nextId() },
          messageTimestamp: Math.floor(Date.now() / 1_000),
          message: { [member]: file, ...part },
        },
      });
    },
    fetchFiles,
    fetchAgain: async () => {
      await stack.admin`
        update messaging.outbox set run_at = now() where settled_at is null`;
      await fetchFiles();
    },
    lastMessage: async (tenant) => {
      const [row] = await stack.admin`
        select id from messaging.messages
        where instance_id = ${tenant.instanceId} and direction = 'inbound'
        order by created_at desc limit 1`;
      return (await stack.messages(tenant, "GET", `/messages/${row?.["id"]}`)).body;
    },
    lastFile: async () => {
      const [row] = await stack.admin`
        select m.*, o.status as work, o.attempts,
          extract(epoch from o.run_at - clock_timestamp())::float as "dueInSeconds"
        from messaging.media m
        join messaging.outbox o on o.payload->>'mediaId' = m.id::text and o.kind = 'media_fetch'
        order by m.created_at desc limit 1`;
      return row;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** A server of files by their paths. */
export function serveFiles(
  files: Readonly<Record<string, Bytes | (() => Response | Promise<Response>)>>,
): DoubleAnswer {
  return ({ path }) => {
    const file = files[path];
    if (file === undefined) return new Response(null, { status: 404 });
    return typeof file === "function" ? file() : new Response(file);
  };
}

export function sha256Of(bytes: Uint8Array, encoding: "hex" | "base64" = "hex"): string {
  return createHash("sha256").update(bytes).digest(encoding);
}
