/** Calls to the provider about one template, each made once. */
import type { SealedInstance } from "../../shared/model/instance.ts";
import type { TemplateRecord } from "../../shared/model/template_record.ts";
import type { Database } from "../../shared/database/database.ts";
import type {
  BeginTemplateCall,
  TemplateCall,
  TemplateCallRefusal,
  TemplateChanges,
} from "../../shared/database/rpcs/templates.ts";
import { AppError, type ErrorCode } from "../../shared/model/errors.ts";
import type {
  TemplateAccount,
  TemplateRefusal,
  UnknownTemplateOutcome,
} from "../../shared/providers/template_account.ts";
import type { ListedTemplate } from "../../shared/providers/template_listing.ts";
import type { TemplateSyncServices } from "./template_sync.ts";

/** A claimed template, with the account that it is to be changed in. */
export interface ClaimedTemplate {
  readonly call: TemplateCall;
  readonly account: TemplateAccount;
}

/** Longer than the calls of one request together: a claim outlives the process that holds it. */
const leaseSeconds = 170;

const refusals: Readonly<Record<TemplateCallRefusal["refused"], (at: string | null) => AppError>> =
  {
    template_call_in_progress: () => new AppError("template_call_in_progress"),
    template_not_editable: () => new AppError("template_not_editable"),
    template_category_fixed: () =>
      new AppError("template_not_editable", {
        message: "The category of an approved template cannot be changed.",
        issues: [{ path: "category", message: "cannot be changed while it is APPROVED" }],
      }),
    template_edit_limit: (at) =>
      new AppError("template_edit_limit", {
        body: { editableAt: at === null ? null : new Date(at).toISOString() },
      }),
    template_exists: () =>
      refuseField("language", "the account has this template in this language already"),
    instance_required: () =>
      refuseField("instanceId", "is required: the template is the workspace's"),
    instance_differs: () => refuseField("instanceId", "is not an instance of the template"),
  };

function refuseField(path: string, message: string): AppError {
  return new AppError("invalid_request", { issues: [{ path, message }] });
}

/**
 * Claims a template for a call to its provider. `finished` where there is nothing to call for.
 *
 * @throws {AppError} `template_not_found`, `Instance not found`, and why the call is not to be made.
 */
export async function claimTemplate(
  services: TemplateSyncServices,
  request: Omit<BeginTemplateCall, "leaseSeconds">,
): Promise<
  ClaimedTemplate | { readonly finished: "isDone" | "isLocal"; readonly template: TemplateRecord }
> {
  const { database } = services;
  const begun = await database.rpc("begin_template_call", { ...request, leaseSeconds });
  if ("isDone" in begun) return { finished: "isDone", template: begun.template };
  if ("isLocal" in begun) return { finished: "isLocal", template: begun.template };
  if (begun.refused !== null) throw refusals[begun.refused](begun.at);
  const account = await openAccount(services, begun);
  if (account !== null) return { call: begun, account };
  await releaseTemplate(database, begun);
  const hasTemplates = services.registry.get(begun.provider).listTemplates !== null;
  // What a gateway's template says of a provider was written by a call.
  if (!hasTemplates && request.kind !== "submit") {
    return { finished: "isLocal", template: begun.template };
  }
  throw new AppError("template_submission_not_available");
}

/** The account of an instance; null where it has no templates, or its configuration names none. */
export async function openAccount(
  { registry, vault, providerTimeoutMs: timeoutMs }: TemplateSyncServices,
  { provider, instanceId, sealedProviderConfig }: SealedInstance,
): Promise<TemplateAccount | null> {
  const config = await vault.open<unknown>(sealedProviderConfig, instanceId);
  return await registry.get(provider).openTemplates(config, { instanceId, timeoutMs });
}

/** Ends a claim under which nothing was changed at the provider. An open earlier call stays open. */
export async function releaseTemplate(database: Database, call: TemplateCall): Promise<void> {
  await settleTemplate(database, call, { isKnown: !call.hasOpenCall });
}

/** Records what a call came to. */
export function settleTemplate(
  database: Database,
  { template, token }: Pick<TemplateCall, "template"> & { readonly token: string | null },
  changes: TemplateChanges,
): Promise<TemplateRecord> {
  const { templateId } = template;
  return database.rpc("settle_template_call", { templateId, token, ...changes });
}

/**
 * Does what is done under a claim. Whatever goes wrong in it, the claim ends, and what may have been done
 * stays to be looked up.
 */
export async function underClaim<Result>(
  database: Database,
  call: TemplateCall,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // Settled before: the claim is over, and this changes nothing.
    await settleTemplate(database, call, { isKnown: false }).catch(() => {});
    throw error;
  }
}

/** What the provider says of a template now, as the stored one takes it. */
export function toChanges(
  { providerTemplateId, providerStatus, category, rejectedReason, quality }: ListedTemplate,
): TemplateChanges {
  return {
    isKnown: true,
    providerTemplateId,
    providerStatus,
    category,
    statusReason: rejectedReason,
    quality,
  };
}

/** The provider's refusal as an answer. */
export function refuseByProvider(
  { code, subcode, message }: TemplateRefusal,
  templateId?: string,
): AppError {
  return failed("provider_template_failed", { code, subcode, message }, templateId);
}

/** The answer where it is unknown whether the provider has done it. */
export function refuseUnknown(
  { reason }: UnknownTemplateOutcome,
  templateId: string,
): AppError {
  return failed(
    "template_outcome_unknown",
    { code: reason, subcode: null, message: null },
    templateId,
  );
}

function failed(code: ErrorCode, details: object, templateId: string | undefined): AppError {
  return new AppError(code, {
    body: templateId === undefined ? { details } : { templateId, details },
  });
}
