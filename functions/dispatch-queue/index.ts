import { createAgentReplies } from "../../shared/agents/reply.ts";
import { createChatModel } from "../../shared/agents/model.ts";
import { createTranscriptions } from "../../shared/agents/transcribe.ts";
import { createTranscriber } from "../../shared/agents/transcriber.ts";
import { createBackground } from "../../shared/runtime/background.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createEventDelivery } from "../../shared/events/deliver_event.ts";
import { createQuestionNotification } from "../../shared/events/notify_of_question.ts";
import { fetchTimeouts } from "../../shared/media/fetch_file.ts";
import { createMediaLinks } from "../../shared/media/links.ts";
import { createMediaWork } from "../../shared/outbox/media_work.ts";
import { openMediaStorage } from "../../shared/media/open_storage.ts";
import { HostResolution } from "../../shared/runtime/host_resolution.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { showAnswering } from "../../shared/messages/read_receipts.ts";
import { createEmailDelivery } from "../../shared/outbox/email_delivery.ts";
import { sendingRegistry } from "../../shared/providers/sending_registry.ts";
import { createDispatchQueueApp } from "./app.ts";

// Loads the providers at start. Loading them with the first message would delay that message, and
// the next message of its instance would follow too closely.
placeDocs(Deno.env.toObject());
await Promise.all(sendingRegistry.providers.map((provider) => provider.preload()));

const config = parseConfig(Deno.env.toObject());
const database = await connectDatabase(config.database, config.credentialsKeys);
const vault = createCredentialVault(config.credentialsKeys);
const openProvider = createProviderOpener(vault);
const links = createMediaLinks(config);
const storage = openMediaStorage(config.media);
const runAfterResponse = createBackground(consoleLog);
const { providerTimeoutMs } = config;
const reading = { database, openProvider, providerTimeoutMs, log: consoleLog };
const app = createDispatchQueueApp({
  database,
  openProvider,
  deliverEmail: createEmailDelivery(config.email, config.panelBaseUrl),
  deliverAgentReply: createAgentReplies(
    database,
    createChatModel(config.chatModel),
    links,
    openProvider,
    (target) => runAfterResponse(() => showAnswering(reading, target)),
  ),
  media: createMediaWork({
    database,
    storage,
    openProvider,
    rules: {
      ...fetchTimeouts,
      allowsPrivateHosts: config.allowsPrivateHosts,
      hosts: new HostResolution(),
    },
    providerTimeoutMs,
    log: consoleLog,
  }),
  transcribe: createTranscriptions({
    database,
    storage,
    askTranscriber: createTranscriber(config.chatModel),
  }),
  deliverEvent: createEventDelivery({
    vault,
    allowsPrivateHosts: config.allowsPrivateHosts,
    links,
  }),
  notifyOfQuestion: createQuestionNotification({
    vault,
    allowsPrivateHosts: config.allowsPrivateHosts,
    links,
  }),
  dispatcherKeys: config.dispatcherKeys,
  runAfterResponse,
  providerTimeoutMs,
  files: { storage, loadLinks: () => Promise.resolve(links) },
  log: consoleLog,
});

Deno.serve(app.fetch);
