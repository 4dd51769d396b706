import type { Hono } from "hono";
import { answerJson, noteIgnoredFields } from "../../shared/http/answer.ts";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { type ClientRoute, createClientRoutes } from "../../shared/http/client_routes.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { readPage, readPageUpTo } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { revealNotifySecret } from "../../shared/messages/ask.ts";
import { wakeDispatcherFor } from "../../shared/messages/wake_up.ts";
import { type BatchAction, batchActions } from "../../shared/model/batch_states.ts";
import { AppError } from "../../shared/model/errors.ts";
import { idSchema, instanceQuerySchema } from "../../shared/model/request_fields.ts";
import type { NoteIgnored } from "../../shared/templates/variable_keys.ts";
import type { Log } from "../../shared/runtime/log.ts";
import {
  addedRecipientsSchema,
  batchListResponseSchema,
  batchResponseSchema,
  batchSettingsSchema,
  changeBatchSchema,
  checkBatchSettings,
  createBatchSchema,
  dryRunResponseSchema,
  dryRunSchema,
  listBatchesSchema,
  listRecipientsSchema,
  readBatchResponseSchema,
  recipientListResponseSchema,
  recipientPageEndSchema,
  storedBatchResponseSchema,
} from "./contract.ts";
import { readEntries, type ReadEntry } from "./entries.ts";
import { addRecipients, type BatchServices, createBatch, dryRunNewBatch } from "./store_batch.ts";

export type BatchesApiServices = BatchServices & { readonly log: Log };

/** Largest body: 1,000 recipients with their variables. */
const maxBodyBytes = 4 * 1024 * 1024;

/** The operations, by method and path. */
const operations: readonly ClientRoute<BatchesApiServices>[] = [
  { method: "POST", path: "/batches", maxBodyBytes, handle: create },
  { method: "GET", path: "/batches", query: listBatchesSchema, handle: list },
  { method: "GET", path: "/batches/:id", query: instanceQuerySchema, handle: get },
  { method: "POST", path: "/batches/:id/recipients", maxBodyBytes, handle: add },
  {
    method: "GET",
    path: "/batches/:id/recipients",
    query: listRecipientsSchema,
    handle: listRecipients,
  },
  {
    method: "POST",
    path: "/batches/:id/dry-run",
    query: instanceQuerySchema,
    hasBody: "optional",
    handle: dryRun,
  },
  ...batchActions.map((action): ClientRoute<BatchesApiServices> => ({
    method: "POST",
    path: `/batches/:id/${action}`,
    query: instanceQuerySchema,
    hasBody: "optional",
    handle: (services, context) => change(services, context, action),
  })),
];

/** /functions/v1/batches-api: messages to a list of people, paced through the instance's queue. */
export function createBatchesApiApp(services: BatchesApiServices): Hono {
  const routes = createClientRoutes(services, operations);
  return createApp({ slug: "batches-api", log: services.log, database: services.database, routes });
}

async function create(services: BatchesApiServices, context: ClientContext): Promise<Response> {
  const body = context.get("body");
  const settings = validateBody(context, batchSettingsSchema, body, checkBatchSettings);
  const entries = await takeEntries(context, settings.recipients ?? []);
  const noteIgnored: NoteIgnored = (names) => noteIgnoredFields(context, names);
  const call = { instance: requireInstance(context), entries, noteIgnored };
  if (settings.dryRun === true) {
    const report = await dryRunNewBatch(services, settings, call);
    return answerJson(context, dryRunResponseSchema, { success: true, ...report });
  }
  const idempotency = await readClientIdempotency(context);
  const stored = await createBatch(services, settings, { ...call, idempotency });
  const { instanceId } = call.instance;
  const outcome = await revealNotifySecret(services.vault, instanceId, stored.outcome);
  const created = { ...stored, outcome };
  return answerRecorded(context, storedBatchResponseSchema, created, 201);
}

async function add(services: BatchesApiServices, context: ClientContext): Promise<Response> {
  const request = validateBody(context, addedRecipientsSchema, context.get("body"));
  const entries = await takeEntries(context, request.recipients);
  const instance = requireInstance(context);
  const batchId = readBatchId(context);
  const idempotency = await readClientIdempotency(context);
  const noteIgnored: NoteIgnored = (names) => noteIgnoredFields(context, names);
  const call = { instance, entries, idempotency, noteIgnored };
  const stored = await addRecipients(services, batchId, request.validation, call);
  const { vault } = services;
  const outcome = await revealNotifySecret(vault, instance.instanceId, stored.outcome);
  const added = { ...stored, outcome };
  return answerRecorded(context, storedBatchResponseSchema, added, 201);
}

async function list({ database }: BatchesApiServices, context: ClientContext): Promise<Response> {
  const query = validate(listBatchesSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const page = await readPage(
    "batches",
    { ...query, instanceId },
    (request) => database.rpc("list_batches", request),
  );
  return answerJson(context, batchListResponseSchema, { success: true, ...page });
}

async function get({ database }: BatchesApiServices, context: ClientContext): Promise<Response> {
  const { instanceId } = requireInstance(context);
  const batch = await database.rpc("get_batch", { instanceId, batchId: readBatchId(context) });
  return answerJson(context, readBatchResponseSchema, { success: true, ...batch });
}

async function dryRun({ database }: BatchesApiServices, context: ClientContext): Promise<Response> {
  const { fromIndex, limit } = validateBody(context, dryRunSchema, context.get("body"));
  const { instanceId } = requireInstance(context);
  const target = { instanceId, batchId: readBatchId(context) };
  const report = await database.rpc("dry_run_batch", { ...target, fromIndex, limit });
  // Its entries are stored: what a strict call refuses is not among them.
  return answerJson(context, dryRunResponseSchema, {
    success: true,
    ...report,
    wouldBeRefused: false,
  });
}

async function listRecipients(
  { database }: BatchesApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listRecipientsSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const { status = null, limit, cursor } = query;
  const page = await readPageUpTo(
    recipientPageEndSchema,
    "recipients",
    { instanceId, batchId: readBatchId(context), status, limit, cursor },
    (request) => database.rpc("list_batch_recipients", request),
  );
  return answerJson(context, recipientListResponseSchema, { success: true, ...page });
}

async function change(
  { database }: BatchesApiServices,
  context: ClientContext,
  action: BatchAction,
): Promise<Response> {
  validateBody(context, changeBatchSchema, context.get("body"));
  const { instanceId } = requireInstance(context);
  const target = { instanceId, batchId: readBatchId(context) };
  const idempotency = await readClientIdempotency(context);
  const changed = await callRecorded(database, "change_batch", { ...target, action, idempotency });
  // The first message may be due sooner than a sleeping dispatcher looks.
  wakeDispatcherFor(changed.outcome.firstScheduledFor);
  return answerRecorded(context, batchResponseSchema, changed);
}

/** The batch of the path. No batch has an id of another form. */
function readBatchId(context: ClientContext): string {
  const batchId = idSchema.safeParse(context.req.param("id"));
  if (!batchId.success) throw new AppError("batch_not_found");
  return batchId.data;
}

/** The entries of the body, with the fields that they have in vain. */
async function takeEntries(
  context: ClientContext,
  recipients: readonly unknown[],
): Promise<readonly ReadEntry[]> {
  const { entries, ignoredFields } = await readEntries(context.get("owner") ?? "", recipients);
  // What is not given in an entry does not count where two calls are compared.
  context.set("bodySchema", createBatchSchema);
  noteIgnoredFields(context, ignoredFields);
  return entries;
}
