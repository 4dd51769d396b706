/** Edits and deletes templates that a provider has. */
import type { TemplateComponent, TemplateRecord } from "../../shared/model/template_record.ts";
import type { TemplateCall, TemplateFields } from "../../shared/database/rpcs/templates.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { FoundTemplates, TemplateAccount } from "../../shared/providers/template_account.ts";
import type { ListedTemplate } from "../../shared/providers/template_listing.ts";
import {
  unknownAccount,
  validateTemplate,
} from "../../shared/templates/submission/validate_template.ts";
import type { TemplateServices } from "./submit_template.ts";
import {
  claimTemplate,
  refuseByProvider,
  refuseUnknown,
  releaseTemplate,
  settleTemplate,
  toChanges,
  underClaim,
} from "./template_calls.ts";
import { replaceSamples } from "./template_samples.ts";
import { hasSameWording, isSameJson } from "./template_wording.ts";

const editedFields = ["components", "category", "parameterFormat"] as const;

/** What an edit may change at the provider. */
export type TemplateEdits = Pick<Partial<TemplateFields>, typeof editedFields[number]>;

/**
 * Edits a template at its provider, which counts the edits of an approved one: once in 24 hours, ten times in
 * 30 days.
 *
 * @throws {AppError} `invalid_request` for what the provider would refuse; `template_edit_limit`,
 * `template_not_editable` before anything is called; `provider_template_failed`;
 * `template_outcome_unknown`.
 */
export async function editTemplate(
  services: TemplateServices,
  stored: TemplateRecord,
  changes: TemplateEdits,
): Promise<TemplateRecord> {
  const { templateId } = stored;
  const edited = { ...stored, ...changes };
  const issues = validateTemplate(edited, unknownAccount(new Date().toISOString()))
    .map(({ path, message }) => ({ path, message }));
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
  const changesCategory = edited.category !== stored.category;
  const claimed = await claimTemplate(services, {
    templateId,
    instanceId: null,
    kind: "edit",
    changesCategory,
    changesNothing: editedFields.every((field) => isSameJson(edited[field], stored[field])),
  });
  if ("finished" in claimed) return claimed.template;
  const { call, account } = claimed;
  return await underClaim(
    services.database,
    call,
    () => editClaimed(services, call, account, changes),
  );
}

async function editClaimed(
  services: TemplateServices,
  call: TemplateCall,
  account: TemplateAccount,
  changes: TemplateEdits,
): Promise<TemplateRecord> {
  const { database } = services;
  const id = requireProviderId(call);
  if (call.hasOpenCall) {
    const earlier = await findById(account, call, id);
    if (earlier !== null && isEdited(earlier, changes)) {
      return await keep(services, call, earlier, changes, false);
    }
  }
  const components = changes.components === undefined
    ? undefined
    : await replaceSamples(services, account, {
      templateId: call.template.templateId,
      instanceId: call.instanceId,
      components: changes.components as readonly TemplateComponent[],
    });
  const { parameterFormat } = changes;
  const category = changes.category === call.template.category
    ? undefined
    : changes.category ?? undefined;
  const result = await account.edit(id, { components, parameterFormat, category });
  if (result.outcome === "refused") {
    await releaseTemplate(database, call);
    throw refuseByProvider(result, call.template.templateId);
  }
  const now = await findById(account, call, id);
  if (result.outcome === "done" || now !== null && isEdited(now, changes)) {
    return await keep(services, call, now, changes);
  }
  await settleTemplate(database, call, { isKnown: false, isEdit: true });
  throw refuseUnknown(result, call.template.templateId);
}

function keep(
  { database }: TemplateServices,
  call: TemplateCall,
  now: ListedTemplate | null,
  { components, parameterFormat, category }: TemplateEdits,
  isEdit = true,
): Promise<TemplateRecord> {
  const told = now === null ? { isKnown: true, category: category ?? null } : toChanges(now);
  return settleTemplate(database, call, { ...told, components, parameterFormat, isEdit });
}

/** Whether the provider's template is what the edit asks for. */
function isEdited({ components, category }: ListedTemplate, changes: TemplateEdits): boolean {
  return (changes.components === undefined || hasSameWording(components, changes.components)) &&
    (changes.category === undefined || changes.category === null || changes.category === category);
}

/**
 * Deletes one language of a template at its provider, by the id of that language: by its name alone all
 * would go. A template that no provider has is deleted here.
 *
 * @throws {AppError} as `editTemplate`.
 */
export async function deleteTemplate(
  services: TemplateServices,
  templateId: string,
  instanceId: string | null,
): Promise<TemplateRecord> {
  const request = { templateId, instanceId, kind: "delete" } as const;
  const claimed = await claimTemplate(services, request);
  if ("finished" in claimed) {
    const { finished, template } = claimed;
    if (finished === "isDone") return template;
    const changes = { isKnown: true, isDeleted: true };
    return await settleTemplate(services.database, { template, token: null }, changes);
  }
  const { call, account } = claimed;
  return await underClaim(services.database, call, () => deleteClaimed(services, call, account));
}

async function deleteClaimed(
  { database }: TemplateServices,
  call: TemplateCall,
  account: TemplateAccount,
): Promise<TemplateRecord> {
  const { template } = call;
  const id = template.providerTemplateId ??
    (await findByLanguage(account, call))?.providerTemplateId;
  // A submission whose outcome was not known never arrived.
  if (id === undefined) {
    return await settleTemplate(database, call, { isKnown: true, isDeleted: true });
  }
  const result = await account.remove({ name: template.name, providerTemplateId: id });
  const found = await account.find(template.name);
  const left = found.outcome === "done" ? findId(found, id) : undefined;
  const isGone = found.outcome === "done" && (left === undefined || isGoing(left));
  if (result.outcome === "done" || isGone) {
    const isPending = left !== undefined && isGoing(left);
    const providerStatus = isPending ? left.providerStatus : "DELETED";
    return await settleTemplate(database, call, { isKnown: true, isDeleted: true, providerStatus });
  }
  if (result.outcome === "unknown") throw refuseUnknown(result, template.templateId);
  await releaseTemplate(database, call);
  throw refuseByProvider(result, template.templateId);
}

function isGoing({ providerStatus }: ListedTemplate): boolean {
  return providerStatus === "PENDING_DELETION" || providerStatus === "DELETED";
}

function requireProviderId({ template }: TemplateCall): string {
  if (template.providerTemplateId === null) throw new AppError("template_not_synced_with_provider");
  return template.providerTemplateId;
}

function findId({ templates }: FoundTemplates, id: string): ListedTemplate | undefined {
  return templates.find(({ providerTemplateId }) => providerTemplateId === id);
}

/** The provider's template; null where it reports none. */
async function findById(
  account: TemplateAccount,
  { template }: TemplateCall,
  id: string,
): Promise<ListedTemplate | null> {
  const found = await account.find(template.name);
  return found.outcome === "done" ? findId(found, id) ?? null : null;
}

/** @throws {AppError} where the provider reports none: a deletion would be a guess. */
async function findByLanguage(
  account: TemplateAccount,
  { template: { name, language, templateId } }: TemplateCall,
): Promise<ListedTemplate | undefined> {
  const found = await account.find(name);
  if (found.outcome === "refused") throw refuseByProvider(found, templateId);
  if (found.outcome === "unknown") throw refuseUnknown(found, templateId);
  return found.templates.find((one) => one.language === language);
}
