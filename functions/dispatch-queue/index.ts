import { createAgentReplies } from "../../shared/agents/reply.ts";
import { createChatModel } from "../../shared/agents/model.ts";
import { parseConfig } from "../../shared/runtime/config.ts";
import { createCredentialVault } from "../../shared/crypto/credential_vault.ts";
import { connectDatabase } from "../../shared/database/connect_database.ts";
import { createProviderOpener } from "../../shared/providers/open_provider.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { createEmailDelivery } from "../../shared/outbox/email_delivery.ts";
// A run is there to send. Loaded with the first message instead, providers would make that one
// late, and the next one of its instance would follow too closely.
import "../../shared/providers/registry.ts";
import { createDispatchQueueApp } from "./app.ts";

const config = parseConfig(Deno.env.toObject());
const database = await connectDatabase(config.database);
const app = createDispatchQueueApp({
  database,
  openProvider: createProviderOpener(createCredentialVault(config.credentialsKeys)),
  deliverEmail: createEmailDelivery(config.email, config.panelBaseUrl),
  deliverAgentReply: createAgentReplies(database, createChatModel(config.chatModel)),
  secretKeys: config.secretKeys,
  providerTimeoutMs: config.providerTimeoutMs,
  log: consoleLog,
});

Deno.serve(app.fetch);
