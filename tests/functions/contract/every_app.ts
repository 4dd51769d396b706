/** The real app of every function, over the same services. */

import type { Hono } from "hono";
import { createAdminApp } from "../../../functions/admin-api/app.ts";
import { createApiDocsApp } from "../../../functions/api-docs/app.ts";
import { createBatchesApiApp } from "../../../functions/batches-api/app.ts";
import { createConnectApp } from "../../../functions/connect/app.ts";
import { createContactsApiApp } from "../../../functions/contacts-api/app.ts";
import { createConversationsApiApp } from "../../../functions/conversations-api/app.ts";
import { createDispatchQueueApp } from "../../../functions/dispatch-queue/app.ts";
import { createEventsApiApp } from "../../../functions/events-api/app.ts";
import { createMediaApiApp } from "../../../functions/media-api/app.ts";
import { createMcpApp } from "../../../functions/mcp/app.ts";
import { createMessagesApiApp } from "../../../functions/messages-api/app.ts";
import { createMessagesContextApp } from "../../../functions/messages-context/app.ts";
import { createMetricsApp } from "../../../functions/metrics/app.ts";
import { createProcessAiAgentApp } from "../../../functions/process-ai-agent/app.ts";
import { createProviderWebhookApp } from "../../../functions/provider-webhook/app.ts";
import { createSanitizePhoneNumberApp } from "../../../functions/sanitize-phone-number/app.ts";
import { createSendMessageApp } from "../../../functions/send-message/app.ts";
import { createSendTemplateMessageApp } from "../../../functions/send-template-message/app.ts";
import { secretKey, type StackServices } from "../../support/stack/messaging_stack.ts";
import type { FetchedFile } from "../../../shared/media/fetch_file.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { testVault } from "../../support/fixtures/tenant.ts";

/** The apps by the names of their functions. */
export async function createEveryApp(
  stackServices: StackServices,
): Promise<ReadonlyMap<string, Hono>> {
  const services = {
    ...stackServices,
    vault: testVault,
    allowsPrivateHosts: false,
    secretKeys: { default: secretKey },
    dispatcherKeys: { default: secretKey },
    deliverAgentReply: () => Promise.reject(new Error("no reply is expected")),
  };
  const apps: Map<string, Hono> = new Map([
    ["admin-api", createAdminApp(services)],
    ["api-docs", await createApiDocsApp(services)],
    ["batches-api", createBatchesApiApp(services)],
    ["connect", await createConnectApp(services)],
    ["contacts-api", createContactsApiApp(services)],
    ["conversations-api", createConversationsApiApp(services)],
    ["dispatch-queue", createDispatchQueueApp(services)],
    ["events-api", createEventsApiApp(services)],
    ["media-api", createMediaApiApp({ ...services, ...services.files, fetchUpload: servePicture })],
    ["mcp", createMcpApp({ ...services, callFunction: (path, init) => callApp(apps, path, init) })],
    ["messages-api", createMessagesApiApp(services)],
    ["messages-context", createMessagesContextApp(services)],
    ["metrics", createMetricsApp(services)],
    ["process-ai-agent", createProcessAiAgentApp(services)],
    ["provider-webhook", createProviderWebhookApp(services)],
    ["sanitize-phone-number", createSanitizePhoneNumberApp(services.log)],
    ["send-message", createSendMessageApp(services)],
    ["send-template-message", createSendTemplateMessageApp(services)],
  ]);
  return apps;
}

/** A call of one function by another, as it were over HTTP. */
async function callApp(
  apps: ReadonlyMap<string, Hono>,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const app = apps.get(path.split(/[/?]/)[0] ?? "");
  if (app === undefined) throw new Error(`no app for ${path}`);
  return await app.request(`/${path}`, init);
}

/** The picture that every URL of an upload leads to. */
function servePicture(): Promise<FetchedFile> {
  const body = new Blob([padded(heads.png, 1_000)]).stream();
  return Promise.resolve({ body, contentType: "image/png", contentLength: 1_000 });
}
