import type { Database } from "../../shared/database/database.ts";
import type {
  BatchEntry,
  BatchSource,
  BatchTarget,
  NewBatch,
  NewRecipients,
} from "../../shared/database/rpcs/batches.ts";
import type { DryRunReport, StoredRecipients } from "../../shared/model/batch_record.ts";
import type { BatchValidation } from "../../shared/model/batch_states.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import { callRecorded, type Recorded } from "../../shared/idempotency/recorded_call.ts";
import { listLadderTemplates, listLadderVariables } from "../../shared/model/outside_window.ts";
import {
  asksForPayment,
  checkTemplate,
  checkTemplateOwner,
  type ReadyTemplate,
} from "../../shared/messages/ready_template.ts";
import type { MediaDescription } from "../../shared/database/rpcs/media_uploads.ts";
import { findHeaderFiles } from "../../shared/messages/header_files.ts";
import type { MessageFiles } from "../../shared/messages/message_file.ts";
import { validateFileForChannel } from "../../shared/messages/channel_validation.ts";
import type { StoredFileServices } from "../../shared/messages/lost_files.ts";
import { findFileOfRequest, loadLinksOfRequest } from "../../shared/messages/requested_file.ts";
import { AppError, type Issue, maxIssues } from "../../shared/model/errors.ts";
import type { Instance } from "../../shared/model/instance.ts";
import { requestedFile } from "../../shared/model/message_request.ts";
import { purposeOfTemplate } from "../../shared/model/purpose.ts";
import {
  idSchema,
  type NamedTemplate,
  readRecipient,
  type Recipient,
} from "../../shared/model/request_fields.ts";
import type { OpenProvider } from "../../shared/providers/open_provider.ts";
import type { Provider } from "../../shared/providers/provider.ts";
import type { NoteIgnored } from "../../shared/templates/variable_keys.ts";
import { type AskServices, prepareAsk } from "../../shared/messages/ask.ts";
import type { BatchSettings } from "./contract.ts";
import type { ReadEntry } from "./entries.ts";
import { type BatchChannel, fillEntries } from "./fill_entries.ts";

export interface BatchServices extends AskServices {
  readonly database: Database;
  readonly openProvider: OpenProvider;
  readonly files: MessageFiles;
}

/** A valid call of an authenticated client, with the entries of its list as they were received. */
export interface BatchCall {
  readonly instance: Instance;
  readonly entries: readonly ReadEntry[];
  readonly idempotency: Idempotency | null;
  readonly noteIgnored: NoteIgnored;
}

/**
 * Creates a draft with its first recipients (beyond the specification, section 6).
 *
 * @throws {AppError} before anything is stored: for a template that cannot be sent, and, where the call is
 * strict, for entries with errors.
 */
export async function createBatch(
  services: BatchServices,
  settings: BatchSettings,
  { idempotency, ...call }: BatchCall,
): Promise<Recorded<StoredRecipients>> {
  const { batch, recipients } = await prepareBatch(services, settings, call);
  refuseErrors(settings.validation, recipients, 0);
  return await callRecorded(services.database, "create_batch", {
    ...batch,
    ...recipients,
    idempotency,
  });
}

/**
 * What creating a batch and starting it now would do. Stores nothing. Entries with errors are skipped by
 * their reasons, however strict the call is; `wouldBeRefused` says that creating would refuse them.
 *
 * @throws {AppError} for a template that cannot be sent.
 */
export async function dryRunNewBatch(
  services: BatchServices,
  settings: BatchSettings,
  call: Omit<BatchCall, "idempotency">,
): Promise<DryRunReport> {
  const { batch, recipients } = await prepareBatch(services, settings, call);
  const entries = recipients.entries.map(withoutText);
  const request = { ...batch, ...recipients, entries };
  const report = await services.database.rpc("dry_run_new_batch", request);
  return {
    ...report,
    samples: listSamples(report.items, recipients.entries),
    wouldBeRefused: isRefused(settings.validation, recipients),
  };
}

/** Most recipients whose filled text a dry run shows: see `filled_samples`, which shows those of a draft. */
const maxSamples = 10;

function listSamples(
  items: DryRunReport["items"],
  entries: readonly BatchEntry[],
): DryRunReport["samples"] {
  return items.filter(({ outcome }) => outcome === "send").slice(0, maxSamples)
    .map(({ index }) => ({ index, message: entries[index]?.draft?.message ?? null }));
}

/** What a dry run judges an entry by. Up to 16 MB of filled texts are none of it. */
function withoutText({ draft, ...entry }: BatchEntry): BatchEntry {
  return draft === undefined ? entry : { ...entry, draft: { ...draft, message: "" } };
}

/**
 * What a call asks to be stored as a batch. Stores nothing.
 *
 * @throws {AppError} for a template that cannot be sent.
 */
async function prepareBatch(
  services: BatchServices,
  settings: BatchSettings,
  call: Omit<BatchCall, "idempotency">,
): Promise<{ readonly batch: NewBatch; readonly recipients: NewRecipients }> {
  const { template: named, message, instanceId: wanted } = settings;
  const { instance, entries } = call;
  const { database } = services;
  const { instanceId } = instance;
  const { template, contacts } = await database.rpc("prepare_batch_recipients", {
    instanceId,
    batchId: null,
    ...readNamedTemplate(named),
    entries: listNamed(entries),
  });
  const followUp = {
    cancelOn: settings.cancelOn,
    paymentReference: settings.paymentReference,
  };
  const ask = await prepareAsk(services, instanceId, settings.ask);
  const beside = { ...followUp, ...(ask === null ? {} : { ask }) };
  const source: BatchSource = message === undefined
    ? { ...beside, ...describeTemplate(checkTemplate(template, instance, { instanceId: wanted })) }
    : { ...beside, message, ladder: await readLadder(database, instance, settings.outsideWindow) };
  const { purpose } = settings;
  const told = source.template === undefined
    ? purpose
    : purposeOfTemplate(source.template.category, purpose);
  const channel = await openChannel(services, call, source);
  return {
    batch: {
      instanceId,
      name: settings.name ?? null,
      source,
      purpose: told === undefined || told === "service" ? null : told,
      validation: settings.validation,
      intervalSeconds: settings.intervalSeconds ?? null,
      startAt: settings.startAt ?? null,
      expiresAt: settings.expiresAt ?? null,
    },
    recipients: await fillEntries(channel, source, entries, contacts),
  };
}

/** The channel of a call's batch, with the files of ours that its messages name. */
async function openChannel(
  { database, openProvider, files }: BatchServices,
  { instance, entries, noteIgnored }: Omit<BatchCall, "idempotency">,
  source: BatchSource,
): Promise<BatchChannel> {
  const { storage } = files;
  const { instanceId } = instance;
  const provider = await openProvider(instance);
  const file = await findSourceFile({ database, storage, provider }, instanceId, source);
  const links = source.message === undefined
    ? null
    : await loadLinksOfRequest(files, source.message);
  const variables = listTemplateVariables(source, entries);
  const headerFiles = await findHeaderFiles({ database, files }, instanceId, variables);
  return { instance, provider, file, links, headerFiles, noteIgnored };
}

/** All values that templates of a batch are filled with. Those of its ladder take an entry's, too. */
function listTemplateVariables(
  source: BatchSource,
  entries: readonly ReadEntry[],
): Readonly<Record<string, unknown>>[] {
  const ladder = source.template === undefined ? source.ladder : undefined;
  if (source.template === undefined && ladder === undefined) return [];
  const given = entries.map(({ recipient }) => recipient?.variables ?? {});
  return [...listLadderVariables(ladder?.outsideWindow ?? []), ...given];
}

/**
 * Adds recipients to a draft. `validation` is the batch's own where the call does not say.
 *
 * @throws {AppError} `batch_not_found`, `batch_state`; where the call is strict, for entries with errors.
 */
export async function addRecipients(
  services: BatchServices,
  batchId: string,
  validation: BatchValidation | undefined,
  { idempotency, ...call }: BatchCall,
): Promise<Recorded<StoredRecipients>> {
  const { database } = services;
  const { instance, entries } = call;
  const target: BatchTarget = { instanceId: instance.instanceId, batchId };
  const { batch, contacts } = await database.rpc("prepare_batch_recipients", {
    ...target,
    entries: listNamed(entries),
  });
  if (batch === null) throw new AppError("batch_not_found");
  const channel = await openChannel(services, call, batch.source);
  const recipients = await fillEntries(channel, batch.source, entries, contacts);
  refuseErrors(validation ?? batch.validation, recipients, batch.recipientCount);
  return await callRecorded(database, "extend_batch", { ...target, ...recipients, idempotency });
}

/** What a batch keeps of its template. */
function describeTemplate(
  { template }: ReadyTemplate,
): Pick<Extract<BatchSource, { message?: undefined }>, "template" | "asksForPayment"> {
  return { template, ...(asksForPayment(template) ? { asksForPayment: true } : {}) };
}

/** @throws {AppError} for a template that is unknown, or another instance's. */
async function readLadder(
  database: Database,
  instance: Instance,
  outsideWindow: BatchSettings["outsideWindow"],
): Promise<Extract<BatchSource, { template?: undefined }>["ladder"]> {
  if (outsideWindow === undefined) return undefined;
  const named = listLadderTemplates(outsideWindow);
  if (named.length === 0 || instance.providerClass !== "official") {
    return { outsideWindow, templates: [] };
  }
  const { instanceId } = instance;
  const { templates } = await database.rpc("find_ladder_templates", {
    instanceId,
    templates: named,
  });
  for (const template of templates) checkTemplateOwner(template, instance);
  return { outsideWindow, templates };
}

/** @throws {AppError} for an id that no template has. */
function readNamedTemplate(named: BatchSettings["template"]): NamedTemplate {
  if (named === undefined) return {};
  const { templateId, name, language } = named;
  if (name !== undefined && language !== undefined) return { template: { name, language } };
  const id = idSchema.safeParse(templateId).data;
  if (id === undefined) throw new AppError("Template not found");
  return { templateId: id };
}

/**
 * The file of ours that a batch's message names.
 *
 * @throws {AppError} `invalid_request`, with the path in the body, for a file that cannot be sent as such a
 * message, or that the channel does not take.
 */
async function findSourceFile(
  services: StoredFileServices & { readonly provider: Provider },
  instanceId: string,
  { message }: BatchSource,
): Promise<MediaDescription | null> {
  if (message === undefined) return null;
  try {
    const file = await findFileOfRequest(services, instanceId, message);
    validateFileForChannel(services.provider, file, requestedFile(message)?.path);
    return file;
  } catch (error) {
    if (!(error instanceof AppError) || error.extras.issues === undefined) throw error;
    throw new AppError(error.code, {
      issues: error.extras.issues.map((issue) => ({ ...issue, path: `message.${issue.path}` })),
    });
  }
}

function listNamed(entries: readonly ReadEntry[]): (Recipient | null)[] {
  return entries.map(({ recipient }) => recipient === null ? null : readRecipient(recipient));
}

/** Whether entries with errors make the whole call impossible. */
function isRefused(validation: BatchValidation, { errors }: NewRecipients): boolean {
  return validation === "strict" && errors.length > 0;
}

/** Indexes of `errors` count through the whole list, paths of `issues` through the call. */
function refuseErrors(
  validation: BatchValidation,
  recipients: NewRecipients,
  firstIndex: number,
): void {
  if (!isRefused(validation, recipients)) return;
  const { errors } = recipients;
  const issues = errors.flatMap(({ index, issues }): Issue[] =>
    issues.map(({ path, message }) => ({
      path: path === "" ? `recipients.${index}` : `recipients.${index}.${path}`,
      message,
    }))
  );
  throw new AppError("invalid_request", {
    issues: issues.slice(0, maxIssues),
    body: { errors: errors.map((error) => ({ ...error, index: firstIndex + error.index })) },
  });
}
