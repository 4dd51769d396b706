import type { AgentsRpcs } from "./rpcs/agents.ts";
import type { AvailabilityRpcs } from "./rpcs/availability.ts";
import type { BatchesRpcs } from "./rpcs/batches.ts";
import type { ContactsRpcs } from "./rpcs/contacts.ts";
import type { ConversationsRpcs } from "./rpcs/conversations.ts";
import type { CostsRpcs } from "./rpcs/costs.ts";
import type { EventsRpcs } from "./rpcs/events.ts";
import type { HistoryRpcs } from "./rpcs/history.ts";
import type { IdempotencyRpcs } from "./rpcs/idempotency.ts";
import type { InboundRpcs } from "./rpcs/inbound.ts";
import type { MediaRpcs } from "./rpcs/media.ts";
import type { MediaUploadRpcs } from "./rpcs/media_uploads.ts";
import type { MessagesRpcs } from "./rpcs/messages.ts";
import type { MetricsRpcs } from "./rpcs/metrics.ts";
import type { OutboxRpcs } from "./rpcs/outbox.ts";
import type { PaymentsRpcs } from "./rpcs/payments.ts";
import type { PrivacyRpcs } from "./rpcs/privacy.ts";
import type { QuestionsRpcs } from "./rpcs/questions.ts";
import type { QueueRpcs } from "./rpcs/queue.ts";
import type { TemplatesRpcs } from "./rpcs/templates.ts";
import type { TenancyRpcs } from "./rpcs/tenancy.ts";
import type { WebhooksRpcs } from "./rpcs/webhooks.ts";

/**
 * Every SQL function that TypeScript calls, with its request and its result: one member per function
 * of the schema `public`, in the file of its area. A test compares the names with the database.
 */
export interface Rpcs
  extends
    AgentsRpcs,
    AvailabilityRpcs,
    BatchesRpcs,
    ContactsRpcs,
    ConversationsRpcs,
    CostsRpcs,
    EventsRpcs,
    HistoryRpcs,
    IdempotencyRpcs,
    InboundRpcs,
    MediaRpcs,
    MediaUploadRpcs,
    MessagesRpcs,
    MetricsRpcs,
    OutboxRpcs,
    PaymentsRpcs,
    PrivacyRpcs,
    QuestionsRpcs,
    QueueRpcs,
    TemplatesRpcs,
    TenancyRpcs,
    WebhooksRpcs {}

export type RpcName = keyof Rpcs;

export type RequestOf<Name extends RpcName> = Rpcs[Name]["request"];

export type ResultOf<Name extends RpcName> = Rpcs[Name]["result"];
