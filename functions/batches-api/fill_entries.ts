import { readCallerFields } from "../../shared/model/caller_fields.ts";
import type {
  BatchEntry,
  BatchSource,
  EntryContact,
  NewRecipients,
  RecipientDraft,
} from "../../shared/database/rpcs/batches.ts";
import type { EntryErrors } from "../../shared/model/batch_record.ts";
import { ownNumberIssue } from "../../shared/database/sqlstates.ts";
import { identityKeyOf } from "../../shared/model/phone.ts";
import type { ContactFacts } from "../../shared/database/rpcs/templates.ts";
import type { MediaDescription } from "../../shared/database/rpcs/media_uploads.ts";
import type { MediaLinks } from "../../shared/media/links.ts";
import { askWithContent } from "../../shared/messages/ask.ts";
import { storeContent, withAsk } from "../../shared/messages/accept.ts";
import { toLinkedContent } from "../../shared/messages/requested_file.ts";
import { fitToChannel } from "../../shared/messages/channel_validation.ts";
import { fillStoredTemplate, listTemplateKeys } from "../../shared/messages/ready_template.ts";
import { type HeaderFiles, listMissingFiles } from "../../shared/messages/header_files.ts";
import { askOfTemplate, toTemplateDraft } from "../../shared/messages/template_draft.ts";
import { fillLadder } from "../../shared/messages/ladder.ts";
import { AppError, type Issue, maxIgnoredFields } from "../../shared/model/errors.ts";
import type { Instance } from "../../shared/model/instance.ts";
import { type MessageRequest, requestedFile } from "../../shared/model/message_request.ts";
import { readPayment } from "../../shared/model/payment_reading.ts";
import type { OutsideWindow } from "../../shared/model/outside_window.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { Provider } from "../../shared/providers/provider.ts";
import { findIgnoredVariables, type NoteIgnored } from "../../shared/templates/variable_keys.ts";
import { mapInSlices } from "../../shared/runtime/time_slices.ts";
import type { RecipientRequest } from "./contract.ts";
import type { ReadEntry } from "./entries.ts";
import { IssueBudget, MessageRoom } from "./call_budgets.ts";
import { prepareFilling } from "./fill_message.ts";
import { prepareReference } from "./fill_reference.ts";

/** The channel that a batch goes through. */
export interface BatchChannel {
  readonly instance: Instance;
  readonly provider: Provider;
  /** The file of ours that the batch's message names; null for none, or one that is not there. */
  readonly file: MediaDescription | null;
  /** Null where the batch's message names no file. */
  readonly links: MediaLinks | null;
  /** The files that headers of templates name. */
  readonly headerFiles: HeaderFiles;
  readonly noteIgnored: NoteIgnored;
}

/** Why an entry gets no message, as recipients and dry runs show it. */
type EntryReason =
  | "invalid_phone"
  | "contact_not_found"
  | "missing_variables"
  | "invalid_recipient";

/**
 * Fills the message of each entry, or finds out why there is none. An entry with errors is kept with its
 * reason, so that the indexes of the others count through the whole list.
 *
 * @param contacts by the entries; null where no contact is known.
 * @throws {AppError} what makes the whole call impossible, such as an instance without a channel, or messages
 * that are too long together.
 */
export async function fillEntries(
  channel: BatchChannel,
  source: BatchSource,
  entries: readonly ReadEntry[],
  contacts: readonly (EntryContact | null)[],
): Promise<NewRecipients> {
  const errors: EntryErrors[] = [];
  const told = new IssueBudget();
  const room = new MessageRoom();
  const fillDraft = prepareDrafts(channel, source);
  const reference = prepareReference(source.paymentReference);
  const taken = new Set([...listTakenKeys(source), ...reference.names]);
  const ignored: string[] = [];
  const ownKey = identityKeyOf(channel.instance.connectedPhone);
  const filled = await mapInSlices(
    channel.instance.instanceId,
    entries,
    (entry, index): BatchEntry => {
      const refuse = (
        issues: readonly Issue[],
        reason: EntryReason,
        kept: Omit<BatchEntry, "reason" | "draft">,
      ): BatchEntry => {
        errors.push({ index, issues: told.take(issues) });
        return { ...kept, reason };
      };
      if (entry.recipient === null) {
        const isPhone = entry.issues.some(({ path }) => path === "phone");
        const reason = isPhone ? "invalid_phone" : "invalid_recipient";
        // No contact can stand for it: what names a person is not kept, because an erasure would not find it.
        return refuse(entry.issues, reason, { cardId: entry.cardId });
      }
      const { recipient } = entry;
      if (recipient.phone !== undefined && identityKeyOf(recipient.phone) === ownKey) {
        return refuse([ownNumberIssue], "invalid_phone", { cardId: recipient.cardId });
      }
      const contact = contacts[index] ?? null;
      if (contact === null && recipient.contactId !== undefined) {
        const message = "is no contact of the instance";
        const { cardId } = recipient;
        return refuse([{ path: "contactId", message }], "contact_not_found", { cardId });
      }
      if (ignored.length < maxIgnoredFields) {
        const names = findIgnoredVariables(recipient.variables ?? {}, taken);
        ignored.push(...names.map((name) => `recipients.${index}.variables.${name}`));
      }
      const facts = contact ?? { name: null, phone: recipient.phone ?? null };
      try {
        const draft = {
          ...fillDraft(recipient, facts),
          ...reference.fill(recipient.variables ?? {}, facts),
        };
        room.take(draft);
        return { ...readRecipient(recipient), draft };
      } catch (error) {
        const { issues, reason } = readRefusal(error);
        const { cardId } = recipient;
        return refuse(issues, reason, { ...readRecipient(recipient), cardId });
      }
    },
  );
  channel.noteIgnored(ignored);
  return { entries: filled, errors };
}

/** The variables that a batch's recipients may give: of its template, or of its message and its ladder. */
function listTakenKeys(source: BatchSource): ReadonlySet<string> {
  if (source.template !== undefined) return listTemplateKeys(source.template);
  const ofLadder = (source.ladder?.templates ?? []).flatMap((rung) =>
    rung === null ? [] : [...listTemplateKeys(rung)]
  );
  return new Set([...prepareFilling(source.message).names, ...ofLadder]);
}

type FillDraft = (recipient: RecipientRequest, contact: ContactFacts) => RecipientDraft;

/**
 * Prepares what all drafts of a batch share. Each draft throws `AppError` `missing_variables` with `missing`, or
 * `invalid_request` with `issues`.
 */
function prepareDrafts(channel: BatchChannel, source: BatchSource): FillDraft {
  const { instance, provider } = channel;
  // Where its end is told is kept with the batch.
  const ask = source.ask && { ask: source.ask.ask };
  const references = new Set<string>();
  if (source.template !== undefined) {
    const ready = { template: source.template, instance };
    return ({ variables = {}, ...recipient }, contact) => {
      const filling = fillStoredTemplate(ready.template, variables, contact);
      const taken = claimReference(filling.payment, references, "variables.payment");
      if (taken.length > 0) throw new AppError("invalid_request", { issues: taken });
      const draft = storeContent(toTemplateDraft(ready, provider, filling, channel.headerFiles));
      const issues = listMissingFiles(channel.headerFiles, draft.mediaId);
      if (issues.length > 0) throw new AppError("invalid_request", { issues });
      const asked = ask && askOfTemplate(ask, filling);
      return { ...withAsk(draft, asked), ...readCallerFields(recipient) };
    };
  }
  const { ladder } = source;
  const { fill } = prepareFilling(source.message);
  return ({ variables = {}, ...recipient }, contact) => {
    const { message, missing, issues } = fill(variables, contact);
    if (missing.length > 0) throw new AppError("missing_variables", { body: { missing } });
    const refused = [...issues, ...checkRecipientPayment(message, references)];
    if (refused.length > 0) throw new AppError("invalid_request", { issues: refused });
    const mediaId = requestedFile(message)?.mediaId;
    const content = toLinkedContent(message, channel.file, channel.links);
    const fitted = fitToChannel(instance, provider, content, {
      rendering: message.rendering,
      phone: recipient.phone ?? contact.phone ?? undefined,
    });
    const filledLadder = ladder === undefined ? undefined : fillLadder(
      channel,
      withDefaults(ladder.outsideWindow, variables),
      ladder,
      { content: fitted.content, contact },
    );
    const asked = ask && askWithContent(ask, fitted.content);
    const stored = withAsk(storeContent({ ...fitted, mediaId }), asked);
    const { fallsBack } = fitted;
    return { ...stored, ...readCallerFields(recipient), ladder: filledLadder, fallsBack };
  };
}

/** A recipient's payment request as it is filled. `references`: those of the recipients before it. */
function checkRecipientPayment(
  { payment }: MessageRequest,
  references: Set<string>,
): readonly Issue[] {
  if (payment === undefined) return [];
  const { issues } = readPayment(payment);
  return issues.length > 0 ? issues : claimReference(payment, references, "payment");
}

/** An issue where a recipient before it has the reference of its payment. */
function claimReference(
  payment: { readonly reference: string } | undefined,
  references: Set<string>,
  path: string,
): readonly Issue[] {
  if (payment === undefined) return [];
  const { reference } = payment;
  if (references.has(reference)) {
    return [{ path: `${path}.reference`, message: "is that of another recipient too" }];
  }
  references.add(reference);
  return [];
}

/** A ladder whose templates take the entry's variables where the ladder names none. */
function withDefaults(
  outsideWindow: OutsideWindow,
  variables: Readonly<Record<string, unknown>>,
): OutsideWindow {
  const fill = (rung: OutsideWindow[number]["template"]): typeof rung =>
    rung && { ...rung, variables: { ...variables, ...rung.variables } };
  return outsideWindow.map(({ directSend, template, invite }) => ({
    directSend,
    template: fill(template),
    invite: fill(invite),
  }));
}

/** What a refusal says about one entry. @throws what concerns the whole call. */
function readRefusal(error: unknown): { issues: readonly Issue[]; reason: EntryReason } {
  if (!(error instanceof AppError)) throw error;
  const { issues, body } = error.extras;
  if (error.code === "missing_variables" && Array.isArray(body?.["missing"])) {
    return {
      issues: body["missing"].map((name) => ({
        path: `variables.${name}`,
        message: "is required",
      })),
      reason: "missing_variables",
    };
  }
  if (error.code !== "invalid_request" || issues === undefined) throw error;
  // The template itself cannot be filled, for any recipient.
  if (issues.some(({ path }) => ["templateId", "recipients", "ask"].includes(path))) throw error;
  return { issues, reason: "invalid_recipient" };
}
