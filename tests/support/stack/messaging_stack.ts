/**
 * The sending side of the product on its own database: real apps, providers and mail client, with local
 * doubles of the outside services.
 */

import { callApp } from "./app_calls.ts";
import type { Hono } from "hono";
import type { Sql } from "postgres";
import { createBatchesApiApp } from "../../../functions/batches-api/app.ts";
import { createContactsApiApp } from "../../../functions/contacts-api/app.ts";
import { createConversationsApiApp } from "../../../functions/conversations-api/app.ts";
import { createDispatchQueueApp } from "../../../functions/dispatch-queue/app.ts";
import {
  type DispatchReport,
  type DispatchServices,
  type OnFirstPoll,
  runDispatch,
} from "../../../functions/dispatch-queue/dispatch.ts";
import { createEventsApiApp } from "../../../functions/events-api/app.ts";
import { createMediaApiApp } from "../../../functions/media-api/app.ts";
import { createMessagesApiApp } from "../../../functions/messages-api/app.ts";
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import type { CredentialVault } from "../../../shared/crypto/credential_vault.ts";
import type { Database } from "../../../shared/database/database.ts";
import { connectDatabase } from "../../../shared/database/connect_database.ts";
import type { ProviderRegistry } from "../../../shared/providers/create_registry.ts";
import type { ProviderDescriptor } from "../../../shared/providers/descriptor.ts";
import type { AskServices } from "../../../shared/messages/ask.ts";
import { createQuestionNotification } from "../../../shared/events/notify_of_question.ts";
import { createEventDelivery } from "../../../shared/events/deliver_event.ts";
import { createProviderOpener } from "../../../shared/providers/open_provider.ts";
import { registry as productRegistry } from "../../../shared/providers/registry.ts";
import { createAgentReplies } from "../../../shared/agents/reply.ts";
import { createChatModel } from "../../../shared/agents/model.ts";
import { createTranscriber } from "../../../shared/agents/transcriber.ts";
import { createTranscriptions } from "../../../shared/agents/transcribe.ts";
import { createMediaWork } from "../../../shared/outbox/media_work.ts";
import type { MediaStorage } from "../../../shared/media/storage.ts";
import type { ChatModelConfig } from "../../../shared/runtime/config.ts";
import type { Log, LogFields } from "../../../shared/runtime/log.ts";
import { createEmailDelivery } from "../../../shared/outbox/email_delivery.ts";
import type { DeliverOutboxRow } from "../../../shared/outbox/delivery.ts";
import {
  type FetchedFile,
  fetchFile,
  type FetchRules,
  fetchTimeouts,
} from "../../../shared/media/fetch_file.ts";
import { createMediaLinks, type MediaLinks } from "../../../shared/media/links.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { createMemoryStorage, type MemoryStorage } from "../doubles/memory_storage.ts";
import { showAnswering } from "../../../shared/messages/read_receipts.ts";
import type { SendingServices } from "../../../shared/messages/send.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { dispatchWhatIsDue } from "./dispatch_what_is_due.ts";
import {
  acceptEmail,
  acceptMessage,
  type HttpDouble,
  startHttpDouble,
} from "../doubles/http_double.ts";
import {
  createTenant,
  type Tenant,
  type TenantOptions,
  testCredentialsKey,
  testVault,
} from "../fixtures/tenant.ts";

export const secretKey = "sb_secret_of_the_tests_0123456789";
export const panelBaseUrl = "https://panel.example.com";
/** Where links to files lead. */
export const functionsUrl = "https://api.example.com/functions/v1";

/** How long a run polls for what its first poll leads to, and how soon what a test waits for is due. */
const [shortRunMs, dueWithinMs] = [30, 150];
const openHosts = { allowsPrivateHosts: true, hosts: new HostResolution() };

export interface LogLine {
  readonly level: "info" | "error";
  readonly event: string;
  readonly fields: LogFields;
}

/** A response with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

export interface StackOptions {
  /** Default: the product's providers. */
  readonly registry?: ProviderRegistry<ProviderDescriptor>;
  /** Time limit of provider and mail calls, in milliseconds. Default 20,000, as in the product. */
  readonly providerTimeoutMs?: number;
  /** Stays with the caller. Default: a new one of the test. */
  readonly testDatabase?: TestDatabase;
  /** Opens the providers' credentials. Default: the key that `createTenant` seals under. */
  readonly vault?: CredentialVault;
  /** Default: in memory. */
  readonly storage?: MediaStorage;
  /** For received files. Default: as in the product, and private hosts. */
  readonly fetchTimeouts?: Pick<
    FetchRules,
    "headersTimeoutMs" | "stallTimeoutMs" | "totalTimeoutMs"
  >;
  readonly allowsPrivateHosts?: boolean;
  /** Who writes down voice messages and speaks for agents. Default: no one, and no reply is due. */
  readonly chatModel?: ChatModelConfig;
}

export interface MessagingStack extends AsyncDisposable {
  readonly testDatabase: TestDatabase;
  /** The superuser's pool. */
  readonly admin: Sql;
  readonly database: Database;
  readonly provider: HttpDouble;
  readonly mail: HttpDouble;
  /** The files of messages and uploads. */
  readonly storage: MemoryStorage;
  readonly services: StackServices;
  readonly logLines: LogLine[];
  createTenant(options?: TenantOptions): Promise<Tenant>;
  /** POSTs JSON to any of the functions as the tenant. Adds `instanceId` where the body has none. */
  post(
    tenant: Tenant,
    path: string,
    body: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** POST send-message as the tenant, as `post` does. */
  send(
    tenant: Tenant,
    body: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** A request to messages-api as the tenant. The path starts after the function's name. */
  messages(
    tenant: Tenant,
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Any request to any of the three functions. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** A request to media-api, whose answer is a file. The path begins with the function's name. */
  fetchMedia(path: string): Promise<Response>;
  /** media-api for a real server: its paths begin with the function's name. */
  handleMedia(request: Request): Response | Promise<Response>;
  /** Runs the dispatcher until what is due is done, and what that leads to: see `dispatchWhatIsDue`. */
  dispatch(limits?: { durationMs?: number }): Promise<DispatchReport>;
  /** One dispatcher run, which on a busy machine may end after its first poll. */
  dispatchOnce(limits: { durationMs?: number; maxMessages?: number }): Promise<DispatchReport>;
  /** Waits for background tasks of answered requests. */
  finishBackground(): Promise<void>;
}

/** Services for sending and for the dispatcher's e-mails. */
export type StackServices =
  & SendingServices
  & AskServices
  & Pick<
    DispatchServices,
    "deliverEmail" | "deliverEvent" | "notifyOfQuestion" | "media" | "transcribe"
  >
  & {
    readonly storage: MediaStorage;
    readonly links: MediaLinks;
    readonly registry: ProviderRegistry<ProviderDescriptor>;
    readonly connectPageUrl: string;
    readonly functionsUrl: string;
    readonly fetchSample: (url: string) => Promise<FetchedFile>;
  };

/** Starts a stack. By default its doubles accept everything. */
export async function startMessagingStack(options: StackOptions = {}): Promise<MessagingStack> {
  const { providerTimeoutMs = 20_000, registry = productRegistry } = options;
  await using cleanup = new AsyncDisposableStack();
  const testDatabase = options.testDatabase ?? cleanup.use(await createTestDatabase());
  const database = await connectDatabase(
    { kind: "direct", databaseUrl: testDatabase.url, promotion: "hold" },
    testCredentialsKey,
  );
  cleanup.defer(() => database.close());
  const provider = cleanup.use(startHttpDouble(acceptMessage));
  const mail = cleanup.use(startHttpDouble(acceptEmail));
  const logLines: LogLine[] = [];
  const background = new Set<Promise<unknown>>();
  const vault = options.vault ?? testVault;
  const openProvider = createProviderOpener(vault, () => Promise.resolve(registry));
  const memory = createMemoryStorage();
  const storage = options.storage ?? memory;
  const links = createMediaLinks({ credentialsKeys: testCredentialsKey, functionsUrl });
  const log = createRecordingLog(logLines);
  const services: StackServices = {
    database,
    registry,
    openProvider,
    storage,
    links,
    functionsUrl,
    connectPageUrl: `${functionsUrl}/connect`,
    media: createMediaWork({
      database,
      storage,
      openProvider,
      rules: {
        ...(options.fetchTimeouts ?? fetchTimeouts),
        allowsPrivateHosts: options.allowsPrivateHosts ?? true,
        hosts: new HostResolution(),
      },
      providerTimeoutMs,
      log,
    }),
    transcribe: createTranscriptions({
      database,
      storage,
      askTranscriber: createTranscriber(options.chatModel ?? null),
    }),
    vault,
    allowsPrivateHosts: options.allowsPrivateHosts ?? true,
    notifyOfQuestion: createQuestionNotification({ vault, allowsPrivateHosts: true, links }),
    deliverEvent: createEventDelivery({ vault, allowsPrivateHosts: true, links }),
    deliverEmail: createEmailDelivery(
      { resendApiKey: "re_test", resendBaseUrl: mail.baseUrl, from: "API <api@example.com>" },
      panelBaseUrl,
      providerTimeoutMs,
    ),
    runAfterResponse: (task) => {
      const promise = task().finally(() => background.delete(promise));
      background.add(promise);
    },
    providerTimeoutMs,
    files: { storage, loadLinks: () => Promise.resolve(links) },
    fetchSample: (url) => fetchFile({ url }, { ...fetchTimeouts, ...openHosts }),
    log,
  };
  const deliverAgentReply = options.chatModel === undefined ? refuseAgentReply : createAgentReplies(
    database,
    createChatModel(options.chatModel),
    links,
    services.openProvider,
    (target) => services.runAfterResponse(() => showAnswering(services, target)),
  );
  const finishBackground = async (): Promise<void> => {
    while (background.size > 0) await Promise.all(background);
  };
  cleanup.defer(finishBackground);
  const mediaApp = createMediaApiApp({
    ...services,
    storage,
    links,
    fetchUpload: (url) => fetchFile({ url }, { ...fetchTimeouts, ...openHosts }),
    allowsPrivateHosts: true,
  });
  const apps: Record<string, Hono> = {
    "media-api": mediaApp,
    "send-message": createSendMessageApp(services),
    "events-api": createEventsApiApp({ ...services, vault, allowsPrivateHosts: true }),
    "messages-api": createMessagesApiApp(services),
    "contacts-api": createContactsApiApp({ ...services, vault }),
    "conversations-api": createConversationsApiApp(services),
    "batches-api": createBatchesApiApp(services),
    "dispatch-queue": createDispatchQueueApp({
      ...services,
      deliverAgentReply,
      dispatcherKeys: { default: secretKey },
    }),
  };
  const request = async (path: string, init?: RequestInit): Promise<Answer> => {
    const app = apps[path.split("/")[1]?.split("?")[0] ?? ""];
    if (app === undefined) throw new Error(`no function at ${path}`);
    return await readAnswer(await callApp(app, path, init));
  };
  const post: MessagingStack["post"] = ({ token, instanceId }, path, body, headers = {}) =>
    request(path, {
      method: "POST",
      headers: { "X-Client-Token": token, "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ instanceId, ...body }),
    });
  const dispatchOnce = (
    { durationMs = dueWithinMs, maxMessages = 1_000 },
    onFirstPoll?: OnFirstPoll,
  ) => runDispatch({ ...services, deliverAgentReply }, { durationMs, maxMessages }, onFirstPoll);
  const keep = cleanup.move();
  return {
    testDatabase,
    admin: testDatabase.admin,
    database,
    provider,
    mail,
    storage: memory,
    services,
    logLines,
    createTenant: (tenantOptions) =>
      createTenant(testDatabase.admin, { baseUrl: provider.baseUrl, ...tenantOptions }),
    post,
    send: (tenant, body, headers) => post(tenant, "/send-message", body, headers),
    messages: (tenant, method, path, headers = {}) =>
      request(`/messages-api${path}`, {
        method,
        headers: { "X-Client-Token": tenant.token, ...headers },
      }),
    request,
    fetchMedia: async (path) => await mediaApp.request(path),
    handleMedia: mediaApp.fetch,
    dispatch: ({ durationMs } = {}) =>
      dispatchWhatIsDue(
        testDatabase.admin,
        (onFirstPoll) => dispatchOnce({ durationMs: durationMs ?? shortRunMs }, onFirstPoll),
        durationMs ?? dueWithinMs,
      ),
    dispatchOnce,
    finishBackground,
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

const refuseAgentReply: DeliverOutboxRow = () => Promise.reject(new Error("no reply is expected"));

function createRecordingLog(lines: LogLine[]): Log {
  return {
    info: (event, fields) => void lines.push({ level: "info", event, fields }),
    error: (event, fields) => void lines.push({ level: "error", event, fields }),
  };
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}
