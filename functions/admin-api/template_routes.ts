import type { TemplateRecord } from "../../shared/model/template_record.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { readJsonBody, readOptionalJsonBody } from "../../shared/http/json_body.ts";
import { answerOutcome, answerRecorded } from "../../shared/http/recorded_answer.ts";
import { type CrossCheck, validate, validateBody } from "../../shared/http/validate.ts";
import { deleteTemplate } from "./change_template.ts";
import type { AdminOperation } from "./admin_operations.ts";
import { type AdminContext, readAdminIdempotency, requireId } from "./http_exchange.ts";
import { withInstanceId } from "./instance_reference.ts";
import { recordAnswer } from "./resources/answers.ts";
import { submittedTemplateSchema } from "./resources/template_submission.ts";
import {
  validateTemplateResponseSchema,
  validateTemplateSchema,
} from "./resources/template_validation.ts";
import { templates } from "./resources/templates.ts";
import { submitTemplate, type TemplateServices } from "./submit_template.ts";
import {
  checkChangedTemplate,
  checkNewTemplate,
  createTemplateSchema,
  templateAccountSchema,
  updateTemplateSchema,
} from "./template_contract.ts";
import { checkTemplateOffline } from "./template_validation.ts";
import { createTemplate, updateTemplate } from "./templates.ts";

const recordSchema = recordAnswer(templates.record);

/** The operations of templates, which may ask the provider, beside those of every record. */
export const templateOperations: readonly AdminOperation<TemplateServices>[] = [
  { method: "POST", path: "/templates", handle: create },
  { method: "POST", path: "/templates/validate", handle: validateOne },
  { method: "PATCH", path: "/templates/:id", handle: update },
  { method: "DELETE", path: "/templates/:id", query: templateAccountSchema, handle: remove },
  { method: "POST", path: "/templates/:id/submit", handle: submit },
];

async function create(services: TemplateServices, context: AdminContext): Promise<Response> {
  const body = await readJsonBody(context);
  const request = validateBody(context, createTemplateSchema, body, checkNewTemplate);
  const idempotency = await readAdminIdempotency(context, body);
  const named = await withInstanceId(services.database, request);
  const created = await createTemplate(services, named, idempotency);
  const schema = request.submit === true ? submittedTemplateSchema : recordSchema;
  return answerOutcome(context, schema, created, 201);
}

async function update(services: TemplateServices, context: AdminContext): Promise<Response> {
  const templateId = requireId(context, "id", "template_not_found");
  const body = await readJsonBody(context);
  const stored = await services.database.rpc("get_message_template", { templateId });
  const check: CrossCheck = (changes) => checkChangedTemplate(changes, stored);
  const changes = validateBody(context, updateTemplateSchema, body, check);
  return answerRecord(context, await updateTemplate(services, stored, changes));
}

async function submit(services: TemplateServices, context: AdminContext): Promise<Response> {
  const templateId = requireId(context, "id", "template_not_found");
  const body = await readOptionalJsonBody(context) ?? {};
  const request = validateBody(context, templateAccountSchema, body);
  const { instanceId } = await withInstanceId(services.database, request);
  return answerRecorded(context, submittedTemplateSchema, {
    outcome: await submitTemplate(services, templateId, instanceId ?? null),
    isReplay: false,
  });
}

async function remove(services: TemplateServices, context: AdminContext): Promise<Response> {
  const templateId = requireId(context, "id", "template_not_found");
  const query = validate(templateAccountSchema, context.req.query());
  const { instanceId } = await withInstanceId(services.database, query);
  return answerRecord(context, await deleteTemplate(services, templateId, instanceId ?? null));
}

async function validateOne(
  { database }: TemplateServices,
  context: AdminContext,
): Promise<Response> {
  const body = validateBody(context, validateTemplateSchema, await readJsonBody(context));
  const { instanceId, ...template } = await withInstanceId(database, body);
  const issues = await checkTemplateOffline(database, template, instanceId);
  return answerJson(context, validateTemplateResponseSchema, {
    success: true,
    valid: issues.length === 0,
    issues,
  });
}

function answerRecord(context: AdminContext, outcome: TemplateRecord): Response {
  return answerOutcome(context, recordSchema, { outcome, isReplay: false });
}
