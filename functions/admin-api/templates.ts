import type * as z from "zod";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { TemplateRecord } from "../../shared/model/template_record.ts";
import type { Recorded } from "../../shared/idempotency/recorded_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import {
  unknownAccount,
  validateTemplate,
} from "../../shared/templates/submission/validate_template.ts";
import { editTemplate } from "./change_template.ts";
import { executeOnce } from "./record_calls.ts";
import {
  findAccountIssues,
  type SubmittedTemplateRecord,
  submitTemplate,
  type TemplateServices,
} from "./submit_template.ts";
import { checkSamples } from "./template_samples.ts";
import { openAccount, refuseByProvider } from "./template_calls.ts";
import type { createTemplateSchema, updateTemplateSchema } from "./template_contract.ts";

type NewTemplate = z.infer<typeof createTemplateSchema>;
type TemplateUpdate = z.infer<typeof updateTemplateSchema>;

/**
 * Stores a new template, and submits it to the instance's provider where the request says so. What the
 * provider would refuse by rule or by its account is refused before anything is stored.
 *
 * @throws {AppError} as `create_message_template` and `submitTemplate`.
 */
export async function createTemplate(
  services: TemplateServices,
  { submit, ...template }: NewTemplate,
  idempotency: Idempotency | null,
): Promise<Recorded<TemplateRecord | SubmittedTemplateRecord>> {
  const { database } = services;
  const create = (): Promise<Recorded<TemplateRecord>> =>
    executeOnce(database.rpc("create_message_template", { ...template, idempotency }));
  const { instanceId } = template;
  if (submit !== true || instanceId === undefined || instanceId === null) return await create();
  refuseIssues(
    validateTemplate(template, unknownAccount(new Date().toISOString()))
      .map(({ path, message }) => ({ path, message })),
  );
  const isRepeated = await checkAccount(services, { ...template, instanceId }, idempotency);
  const created = await create();
  const { templateId } = created.outcome;
  const submitted = await submitTemplate(services, templateId, instanceId);
  const categoryChanged = template.category !== submitted.category;
  return { outcome: { ...submitted, categoryChanged }, isReplay: created.isReplay || isRepeated };
}

/** Whether the call is a repeated one, whose template is in the account already. */
async function checkAccount(
  services: TemplateServices,
  template: NewTemplate & { readonly instanceId: string },
  idempotency: Idempotency | null,
): Promise<boolean> {
  const { instanceId, name } = template;
  const begun = await services.database.rpc("begin_template_sync", { instanceId, idempotency });
  if ("replayed" in begun) return true;
  const account = await openAccount(services, { ...begun, instanceId });
  if (account === null) throw new AppError("template_submission_not_available");
  const looked = await account.find(name);
  if (looked.outcome === "refused") throw refuseByProvider(looked);
  if (looked.outcome === "unknown") throw new AppError("provider_template_failed");
  const { items } = await services.database.rpc("find_templates_by_name", { instanceId, name });
  refuseIssues(
    findAccountIssues(template, looked, items.filter(({ deletedAt }) => deletedAt !== null)),
  );
  await checkSamples(services, account, template);
  return false;
}

function refuseIssues(
  issues: readonly { readonly path: string; readonly message: string }[],
): void {
  if (issues.length > 0) throw new AppError("invalid_request", { issues });
}

/** Fields by which a call says itself what the provider has. */
const toldFields = ["providerStatus", "providerTemplateId"] as const;

/**
 * Changes a template: at its provider too, where the provider has it, unless the call itself says what the
 * provider has.
 *
 * @throws {AppError} as `editTemplate`; `invalid_request` for a name or a language that the provider holds.
 */
export async function updateTemplate(
  services: TemplateServices,
  stored: TemplateRecord,
  changes: TemplateUpdate,
): Promise<TemplateRecord> {
  const { database } = services;
  const { templateId } = stored;
  const isTold = toldFields.some((field) => changes[field] !== undefined);
  if (isTold || !await isAtProvider(services, stored)) {
    return await database.rpc("update_message_template", { templateId, changes });
  }
  refuseIssues(
    (["name", "language"] as const)
      .filter((field) => changes[field] !== undefined && changes[field] !== stored[field])
      .map((path) => ({ path, message: "cannot be changed once the provider has the template" })),
  );
  const { components, category, parameterFormat } = changes;
  return await editTemplate(services, stored, {
    ...(components === undefined ? {} : { components }),
    ...(category === undefined ? {} : { category }),
    ...(parameterFormat === undefined ? {} : { parameterFormat }),
  });
}

async function isAtProvider(
  { database, registry }: TemplateServices,
  { instanceId, providerTemplateId }: TemplateRecord,
): Promise<boolean> {
  if (instanceId === null || providerTemplateId === null) return false;
  const instance = await database.rpc("get_instance", { instanceId });
  return "provider" in instance && registry.get(instance.provider).listTemplates !== null;
}
