import { readCallerFields } from "../../shared/model/caller_fields.ts";
import { type AskServices, prepareAsk } from "../../shared/messages/ask.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { PendingAuthentication } from "../../shared/messages/accept.ts";
import { readTiming } from "../../shared/model/timing.ts";
import { toLeaseSeconds } from "../../shared/messages/claim.ts";
import { executeSending, type SendingServices } from "../../shared/messages/send.ts";
import { answerReplay, type SendingAnswer } from "../../shared/messages/sending_answer.ts";
import {
  checkTemplate,
  fillStoredTemplate,
  findIgnoredOfTemplate,
} from "../../shared/messages/ready_template.ts";
import { limitHandingOverMs } from "../../shared/messages/message_file.ts";
import { findHeaderFiles } from "../../shared/messages/header_files.ts";
import { askOfTemplate, toTemplateDraft } from "../../shared/messages/template_draft.ts";
import { purposeOfTemplate } from "../../shared/model/purpose.ts";
import type { NoteIgnored } from "../../shared/templates/variable_keys.ts";
import type { SendTemplateMessageRequest } from "./contract.ts";
import { createTemplateResponder, type TemplateResponse } from "./response.ts";

/** A valid call of an authenticated client. */
export interface SendTemplateCall {
  readonly request: SendTemplateMessageRequest;
  readonly tokenId: string;
  /** Null where the request names an instance that the token does not grant access to. */
  readonly instance: Instance | null;
  readonly idempotency: Idempotency | null;
  /** Not null where the recording transaction must authenticate the call. */
  readonly authentication?: PendingAuthentication | null | undefined;
  readonly noteIgnored: NoteIgnored;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Sends a stored template (specification 4.7): to the official channel with its parameters, to a
 * gateway as a rendered message; at once, or through the queue like any message. Creates the contact. Pauses
 * the agent only where the call says `pauseAgent: true` (decisions, section 6).
 *
 * @throws {AppError} before anything is stored, in the order of decisions, section 8; then the
 * errors of `accept_message`.
 */
export async function sendTemplate(
  services: SendingServices & AskServices,
  { request, tokenId, instance, idempotency, authentication, noteIgnored }: SendTemplateCall,
): Promise<SendingAnswer<TemplateResponse>> {
  const { templateId, template } = request;
  const recipient = readRecipient(request);
  if (templateId !== undefined && !uuidPattern.test(templateId)) {
    throw new AppError("Template not found");
  }
  const found = await services.database.rpc("find_template_to_send", {
    tokenId,
    templateId,
    template,
    ...recipient,
    idempotency,
  });
  const { known } = found;
  const phone = request.phone ?? found.contact?.phone ?? null;
  if (found.template !== null) {
    noteIgnored(findIgnoredOfTemplate(found.template, request.variables));
  }
  if (known !== null && !known.isAttemptDue && found.template !== null) {
    // Returns a replay before all checks, because the recorded outcome does not depend on the
    // current state of the template.
    const providerClass = instance?.providerClass ?? "gateway";
    return answerReplay(known, createTemplateResponder(found.template, providerClass, phone));
  }
  const ready = checkTemplate(found.template, instance, request);
  if (found.contact === null && request.contactId !== undefined) {
    throw new AppError("contact_not_found");
  }
  const contact = found.contact ?? { name: null, phone };
  const variables = request.variables ?? {};
  const filled = fillStoredTemplate(ready.template, variables, contact);
  const provider = await services.openProvider(ready.instance);
  const headerFiles = await findHeaderFiles(services, ready.instance.instanceId, [variables]);
  const draft = toTemplateDraft(ready, provider, filled, headerFiles);
  const asked = await prepareAsk(services, ready.instance.instanceId, request.ask);
  const handingOverMs = limitHandingOverMs(provider, draft);
  const sending = executeSending(services, { instance: ready.instance, provider }, {
    ...recipient,
    draft: {
      ...draft,
      ask: asked === null ? undefined : askOfTemplate(asked, filled),
      ...readCallerFields(request),
      sentBy: request.sentBy,
      pauseAgent: request.pauseAgent ?? false,
      purpose: purposeOfTemplate(ready.template.category, request.purpose),
    },
    assignment: null,
    delivery: {
      queued: request.queued ?? false,
      intervalSeconds: request.intervalSeconds ?? null,
      delaySeconds: request.delayMessage ?? 0,
      timing: readTiming(request),
      leaseSeconds: toLeaseSeconds(services.providerTimeoutMs + handingOverMs),
    },
    idempotency,
    authentication,
  }, createTemplateResponder(ready.template, ready.instance.providerClass, phone));
  return await sending.catch((error: unknown) => {
    throw placePaymentFault(error);
  });
}

/** A refusal of the database that names a field of `payment`, which stands below `variables` here. */
function placePaymentFault(error: unknown): unknown {
  if (!(error instanceof AppError) || error.extras.issues === undefined) return error;
  const issues = error.extras.issues.map(({ path, message }) => ({
    path: path.startsWith("payment.") ? `variables.${path}` : path,
    message,
  }));
  return new AppError(error.code, { ...error.extras, issues });
}
