import type { Hono } from "hono";
import {
  type ClientContext,
  readClientIdempotency,
  requireInstance,
} from "../../shared/http/client_token_guard.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { type ClientRoute, createClientRoutes } from "../../shared/http/client_routes.ts";
import { createApp } from "../../shared/http/create_app.ts";
import { readPageOrChanges } from "../../shared/http/page.ts";
import { answerRecorded } from "../../shared/http/recorded_answer.ts";
import { validate, validateBody } from "../../shared/http/validate.ts";
import {
  findFilterIssues,
  instanceQuerySchema,
  readRecipient,
} from "../../shared/model/request_fields.ts";
import { readSearchedPhone } from "../../shared/model/phone.ts";
import type { PeopleScope } from "../../shared/model/people_scope.ts";
import type { Log } from "../../shared/runtime/log.ts";
import { callRecorded } from "../../shared/idempotency/recorded_call.ts";
import { executeRepeatable } from "../../shared/idempotency/repeatable_call.ts";
import { AppError } from "../../shared/model/errors.ts";
import { eraseContact, erasePerson, type ErasingServices } from "./erase_contact.ts";
import { exportContact } from "./export_contact.ts";
import { blockContact, type BlockingServices } from "./block_contact.ts";
import {
  blockContactResponseSchema,
  blockContactSchema,
  changeTagsResponseSchema,
  changeTagsSchema,
  checkChangeTags,
  checkCreateContact,
  checkMergeContacts,
  checkTarget,
  contactIdSchema,
  contactListResponseSchema,
  contactResponseSchema,
  createContactResponseSchema,
  createContactSchema,
  eraseContactResponseSchema,
  erasureResponseSchema,
  listContactsSchema,
  mergeContactsResponseSchema,
  mergeContactsSchema,
  scopeQuerySchema,
  setConsentResponseSchema,
  setConsentSchema,
  updateContactResponseSchema,
  updateContactSchema,
} from "./contract.ts";
import { saveContact } from "./save_contact.ts";

export interface ContactsApiServices extends ErasingServices, BlockingServices {
  readonly log: Log;
}

/** The operations, by method and path. */
const operations: readonly ClientRoute<ContactsApiServices>[] = [
  { method: "POST", path: "/create", ignoresParameters: true, handle: createContact },
  { method: "POST", path: "/update", ignoresParameters: true, handle: updateContact },
  { method: "POST", path: "/tags", ignoresParameters: true, handle: changeTags },
  { method: "POST", path: "/consent", handle: setConsent },
  { method: "POST", path: "/block", handle: changeBlockTo(true) },
  { method: "POST", path: "/unblock", handle: changeBlockTo(false) },
  { method: "POST", path: "/merge", handle: mergeContacts },
  { method: "GET", path: "/contacts", query: listContactsSchema, handle: getContacts },
  { method: "GET", path: "/contacts/:id", query: instanceQuerySchema, handle: getContact },
  { method: "DELETE", path: "/contacts/:id", query: scopeQuerySchema, handle: deleteContact },
  { method: "GET", path: "/contacts/:id/export", query: scopeQuerySchema, handle: getExport },
  { method: "GET", path: "/erasures/:id", query: instanceQuerySchema, handle: getErasure },
];

/** /functions/v1/contacts-api (specification 4.3). */
export function createContactsApiApp(services: ContactsApiServices): Hono {
  const routes = createClientRoutes(services, operations);
  return createApp({
    slug: "contacts-api",
    log: services.log,
    database: services.database,
    routes,
  });
}

async function createContact(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(
    context,
    createContactSchema,
    context.get("body"),
    checkCreateContact,
  );
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  const saved = await saveContact(database, instanceId, request, idempotency);
  const { action, contactId, tagsApplied } = saved.outcome;
  return answerRecorded(context, createContactResponseSchema, {
    ...saved,
    outcome: { action, contactId, tagsApplied },
  });
}

async function updateContact(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, updateContactSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    updateContactResponseSchema,
    await saveContact(database, instanceId, request, idempotency),
  );
}

async function changeTags(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, changeTagsSchema, context.get("body"), checkChangeTags);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    changeTagsResponseSchema,
    await callRecorded(database, "change_contact_tags", { ...request, instanceId, idempotency }),
  );
}

async function setConsent(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(context, setConsentSchema, context.get("body"), checkTarget);
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    setConsentResponseSchema,
    await callRecorded(database, "set_contact_consent", { ...request, instanceId, idempotency }),
  );
}

function changeBlockTo(isBlocked: boolean): ClientRoute<ContactsApiServices>["handle"] {
  return async (services, context) => {
    const body = context.get("body");
    const request = validateBody(context, blockContactSchema, body, checkTarget);
    const instance = requireInstance(context);
    const blocked = await executeRepeatable({
      database: services.database,
      idempotency: await readClientIdempotency(context),
      execute: () => blockContact(services, instance, readRecipient(request), isBlocked),
      isKept: ({ channel }) => channel !== "refused",
    });
    return answerRecorded(context, blockContactResponseSchema, blocked);
  };
}

async function mergeContacts(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const request = validateBody(
    context,
    mergeContactsSchema,
    context.get("body"),
    checkMergeContacts,
  );
  const { instanceId } = requireInstance(context);
  const idempotency = await readClientIdempotency(context);
  return answerRecorded(
    context,
    mergeContactsResponseSchema,
    await callRecorded(database, "merge_contact", { ...request, instanceId, idempotency }),
  );
}

async function getContact(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const contact = await database.rpc("get_contact", readTarget(context));
  return answerJson(context, contactResponseSchema, { success: true, ...contact });
}

async function deleteContact(
  services: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const { instanceId, contactId } = readTarget(context);
  const erase = readScope(context) === "workspace" ? erasePerson : eraseContact;
  const { erasureId } = await erase(services, instanceId, contactId);
  return answerJson(context, eraseContactResponseSchema, { success: true, erasureId }, 202);
}

async function getExport(services: ContactsApiServices, context: ClientContext): Promise<Response> {
  const { instanceId, contactId } = readTarget(context);
  const body = await exportContact(services, instanceId, contactId, readScope(context));
  return context.body(body, 200, { "Content-Type": "application/json" });
}

async function getErasure(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const { instanceId } = requireInstance(context);
  const erasureId = contactIdSchema.safeParse(context.req.param("id")).data;
  if (erasureId === undefined) throw new AppError("erasure_not_found");
  const erasure = await database.rpc("get_erasure", { instanceId, erasureId });
  return answerJson(context, erasureResponseSchema, { success: true, ...erasure });
}

async function getContacts(
  { database }: ContactsApiServices,
  context: ClientContext,
): Promise<Response> {
  const query = validate(listContactsSchema, context.req.query(), findFilterIssues);
  const { instanceId } = requireInstance(context);
  const page = await readPageOrChanges(
    "contacts",
    { ...query, q: query.q && (readSearchedPhone(query.q) ?? query.q), instanceId },
    (request) => database.rpc("list_contacts", request),
  );
  return answerJson(context, contactListResponseSchema, { success: true, ...page });
}

/** Whether a call reaches the person's contacts at other instances. */
function readScope(context: ClientContext): PeopleScope {
  return validate(scopeQuerySchema, context.req.query()).scope ?? "instance";
}

/** The contact of the path, which must belong to the token's instance. */
function readTarget(context: ClientContext): { instanceId: string; contactId: string } {
  const { instanceId } = requireInstance(context);
  const contactId = contactIdSchema.safeParse(context.req.param("id"));
  if (!contactId.success) throw new AppError("contact_not_found");
  return { instanceId, contactId: contactId.data };
}
