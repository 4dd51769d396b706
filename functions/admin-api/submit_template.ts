import type { TemplateCall } from "../../shared/database/rpcs/templates.ts";
import type { TemplateRecord } from "../../shared/model/template_record.ts";
import { AppError, type Issue } from "../../shared/model/errors.ts";
import type { FoundTemplates, TemplateAccount } from "../../shared/providers/template_account.ts";
import type { ListedTemplate, TemplateLimit } from "../../shared/providers/template_listing.ts";
import {
  unknownAccount,
  validateTemplate,
} from "../../shared/templates/submission/validate_template.ts";
import { replaceSamples, type SampleServices } from "./template_samples.ts";
import {
  claimTemplate,
  openAccount,
  refuseByProvider,
  refuseUnknown,
  releaseTemplate,
  settleTemplate,
  toChanges,
  underClaim,
} from "./template_calls.ts";
import type { TemplateSyncServices } from "./template_sync.ts";

export type TemplateServices = TemplateSyncServices & SampleServices;

/** A submitted template, and what its provider reported with it. */
export type SubmittedTemplateRecord = TemplateRecord & {
  /** The provider has given it another category than the one asked for. */
  readonly categoryChanged: boolean;
  /** Null where the provider reports none. */
  readonly limit: TemplateLimit | null;
};

/**
 * Submits a stored template to its provider, once: what is there already is only read, and an earlier call
 * whose outcome is not known is looked up before anything is repeated.
 *
 * @throws {AppError} why it is not to be submitted; `invalid_request` for what the provider would refuse;
 * `provider_template_failed`; `template_outcome_unknown`.
 */
export async function submitTemplate(
  services: TemplateServices,
  templateId: string,
  instanceId: string | null,
): Promise<SubmittedTemplateRecord> {
  const request = { templateId, instanceId, kind: "submit" } as const;
  const claimed = await claimTemplate(services, request);
  if ("finished" in claimed) return await readSubmitted(services, claimed.template, instanceId);
  const { call, account } = claimed;
  return await underClaim(services.database, call, () => submitClaimed(services, call, account));
}

async function submitClaimed(
  services: TemplateServices,
  call: TemplateCall,
  account: TemplateAccount,
): Promise<SubmittedTemplateRecord> {
  const { database } = services;
  const { template } = call;
  const { templateId } = template;
  const looked = await account.find(template.name);
  if (looked.outcome !== "done") {
    await releaseTemplate(database, call);
    throw looked.outcome === "unknown"
      ? refuseUnknown(looked, templateId)
      : refuseByProvider(looked, templateId);
  }
  const existing = findLanguage(looked, template.language);
  if (call.hasOpenCall && existing !== undefined) {
    return await adopt(services, call, existing, looked);
  }
  const issues = await findIssues(services, call, looked);
  if (issues.length > 0) {
    await settleTemplate(database, call, { isKnown: true });
    throw new AppError("invalid_request", { issues });
  }
  const components = await replaceSamples(services, account, {
    ...template,
    instanceId: call.instanceId,
  });
  const { category, ...rest } = template;
  const created = await account.create({ ...rest, category: category ?? "", components });
  if (created.outcome === "refused") {
    await settleTemplate(database, call, { isKnown: true });
    throw refuseByProvider(created, templateId);
  }
  const now = await account.find(template.name);
  const listed = now.outcome === "done" ? findLanguage(now, template.language) : undefined;
  if (listed !== undefined && now.outcome === "done") {
    return await adopt(services, call, listed, now);
  }
  if (created.outcome === "unknown") throw refuseUnknown(created, templateId);
  const record = await settleTemplate(database, call, {
    isKnown: true,
    providerTemplateId: created.providerTemplateId,
    providerStatus: created.providerStatus ?? "PENDING",
    category: created.category,
  });
  return describe(record, category, null);
}

async function adopt(
  { database }: TemplateServices,
  call: TemplateCall,
  listed: ListedTemplate,
  { limit }: FoundTemplates,
): Promise<SubmittedTemplateRecord> {
  const record = await settleTemplate(database, call, toChanges(listed));
  return describe(record, call.template.category, limit);
}

function describe(
  record: TemplateRecord,
  asked: string | null,
  limit: TemplateLimit | null,
): SubmittedTemplateRecord {
  return { ...record, categoryChanged: asked !== null && record.category !== asked, limit };
}

/** A template that is submitted already: as it is, with the limit as it is now. */
async function readSubmitted(
  services: TemplateServices,
  template: TemplateRecord,
  instanceId: string | null,
): Promise<SubmittedTemplateRecord> {
  const target = template.instanceId ?? instanceId;
  if (target === null) return describe(template, null, null);
  const { provider, sealedProviderConfig } = await readTarget(services, target);
  const account = await openAccount(services, {
    provider,
    instanceId: target,
    sealedProviderConfig,
  });
  const found = await account?.find(template.name);
  return describe(template, null, found?.outcome === "done" ? found.limit : null);
}

/** The provider and the sealed configuration of an instance. @throws {AppError} `Instance not found`. */
export async function readTarget(
  { database }: TemplateServices,
  instanceId: string,
): Promise<Pick<TemplateCall, "provider" | "sealedProviderConfig">> {
  const target = await database.rpc("begin_template_sync", { instanceId, idempotency: null });
  if ("replayed" in target) throw new Error("a call without a key cannot be a replay");
  return target;
}

function findLanguage({ templates }: FoundTemplates, language: string): ListedTemplate | undefined {
  return templates.find((one) => one.language === language && one.providerStatus !== "DELETED");
}

/** What the provider would refuse, by what it says of its account and what was deleted here. */
async function findIssues(
  { database }: TemplateServices,
  { template, instanceId }: TemplateCall,
  looked: FoundTemplates,
): Promise<readonly Issue[]> {
  const { items } = await database.rpc("find_templates_by_name", {
    instanceId,
    name: template.name,
  });
  return findAccountIssues(template, looked, items.filter(({ deletedAt }) => deletedAt !== null));
}

type Deleted = {
  readonly language: string;
  readonly status: string;
  readonly deletedAt: string | null;
};

/** What an account would refuse in a template. Issues as an answer has them. */
export function findAccountIssues(
  template: unknown,
  { limit, templates }: FoundTemplates,
  deleted: readonly Deleted[],
): Issue[] {
  const listed = templates.map(({ language, providerStatus: status }) => ({
    language,
    status,
    deletedAt: null,
  }));
  const account = {
    ...unknownAccount(new Date().toISOString()),
    limit,
    sameName: [...listed, ...deleted],
  };
  return validateTemplate(template, account).map(({ path, message }) => ({ path, message }));
}
