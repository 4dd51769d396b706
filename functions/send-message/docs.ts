import * as z from "zod";
import {
  demoContactId,
  demoConversationId,
  demoInstanceRef,
  demoOperatorEmail,
  demoOperatorId,
  demoPhone,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import { answeredMeanings } from "../../shared/model/refusal_meaning.ts";
import type { Operation, OperationExample } from "../../shared/openapi/operation.ts";
import { type ContentField, fieldsOf, isMediaType } from "../../shared/model/message_content.ts";
import {
  listFields,
  messageFields,
  type SendableType,
  sendableTypes,
} from "../../shared/model/message_request.ts";
import {
  sendMessageFailureSchema,
  sendMessageResponseSchema,
  sendMessageSchema,
} from "./contract.ts";
import {
  type KindExample,
  kindExamples,
  outsideWindowSection,
  requirementsSection,
} from "./kinds_docs.ts";

const { shape } = sendMessageSchema;
const commonShape = Object.fromEntries(
  Object.entries(shape).filter(([name]) => !Object.hasOwn(messageFields, name)),
);

/** The fields that belong to one message type; `file` names its file, where it has one. */
function describeBody(
  messageType: SendableType,
  file: "mediaUrl" | "mediaId" = "mediaUrl",
): z.ZodObject {
  const { needs } = fieldsOf(messageType);
  const otherFile = file === "mediaUrl" ? "mediaId" : "mediaUrl";
  const fields = listFields(messageType).filter((name) => name !== otherFile).map((name) => [
    name,
    name === file || needs.includes(name as ContentField) ? shape[name].unwrap() : shape[name],
  ]);
  // A file may always have a name: it counts for a document.
  const fileName = isMediaType(messageType) ? { mediaFilename: shape.mediaFilename } : {};
  return z.object({
    ...commonShape,
    ...fileName,
    messageType: z.literal(messageType),
    ...Object.fromEntries(fields),
  });
}

type Bodies = [z.ZodObject, ...z.ZodObject[]];
const bodies = sendableTypes.map((type) => describeBody(type)) as Bodies;
const fileBodies = sendableTypes.filter(isMediaType)
  .map((type) => describeBody(type, "mediaId")) as Bodies;

/** The variants of the body by `messageType`. A call that only assigns has none. */
const documentedBody = z.union([
  z.discriminatedUnion("messageType", bodies).meta({ title: "message" }),
  z.discriminatedUnion("messageType", fileBodies).meta({ title: "file" }),
  sendMessageSchema.pick({
    instanceId: true,
    phone: true,
    contactId: true,
    userId: true,
    portfolio: true,
    sentBy: true,
  })
    .extend({ assignTo: shape.assignTo.unwrap() }).meta({ title: "assignment" }),
]);

const target = { instanceId: demoInstanceRef, phone: demoPhone };
const outcome = { contactId: demoContactId, conversationId: demoConversationId };
const pausedUntil = "2026-11-23T13:30:00.000Z";

/** A message of a kind that no longer example shows: sent immediately. */
function showKind({ name, summary, request, response = {} }: KindExample): OperationExample {
  const { rendering, ...others } = response;
  return {
    name,
    summary,
    request: { ...target, ...request },
    response: {
      success: true,
      mode: "sent",
      ...outcome,
      messageId: demoSentMessageId,
      providerMessageId: "3EB0C767D097B7C7C030",
      status: "sent",
      scheduledFor: null,
      heldBy: null,
      ...(rendering === undefined ? {} : { rendering }),
      aiAgentPausedUntil: pausedUntil,
      ...others,
    },
  };
}

/** The operations of send-message (specification 4.4). */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "sendMessage",
  ignoresParameters: true,
  tag: "Messages",
  summary: "Send, queue or schedule a message",
  description:
    "Sends a text, a file, a location, contact cards, buttons, an option list, a link or a request for the phone number or the position: immediately, after `delayMessage` seconds, at `sendAt`, or through the instance's paced queue (`queued`). `assignTo` also assigns the conversation. Without content, the call only assigns (`mode` = `assign_only`).\n\n" +
    `${requirementsSection}\n\n` +
    "What a channel cannot carry is refused (`unsupported_on_channel`), and what it loses is named in `reduced`. Where a channel does not show options or links dependably, they go as numbered text (`rendering`), and what a person then types is stored as the choice.\n\n" +
    `${outsideWindowSection}\n\n` +
    "### The AI agent\n\nEvery call whose `sentBy` is not `ai_agent` pauses the instance's AI agent for this contact for 30 minutes. A missing contact is created.",
  access: "clientToken",
  body: sendMessageSchema,
  documentedBody,
  isIdempotent: true,
  success: {
    description:
      "The sent, queued or scheduled message, and the assignment. The message's fields are present " +
      "when the request has content, `assignment` when it has `assignTo`.",
    schema: sendMessageResponseSchema,
  },
  errors: [
    "invalid_phone",
    "provider_outbound_channel_not_configured",
    "Template does not belong to this instance",
    "Template not found",
    "template_ambiguous",
    "unsupported_on_channel",
    "operator_not_found",
    "contact_not_found",
    "message_not_found",
    "recipient_needs_phone",
    "contact_blocked",
    "contact_opted_out",
    "reference_in_use",
    "media_not_found",
    "media_pending",
    "media_failed",
    "media_expired",
    ...answeredMeanings,
    "send_window_never_opens",
    "provider_send_failed",
    "provider_outcome_unknown",
  ],
  failure: sendMessageFailureSchema,
  fields: {
    expiresAt:
      "End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future.",
    mediaUrl:
      "Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`.",
    mediaId:
      "Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.",
    intervalSeconds:
      "Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30.",
    mode: "Result of the call: `assign_only` when it named neither a type nor content.",
  },
  examples: [
    {
      name: "text",
      summary: "A text, sent immediately",
      request: { ...target, messageType: "text", message: "Olá! Seu pedido saiu para entrega." },
      response: {
        success: true,
        mode: "sent",
        ...outcome,
        messageId: demoSentMessageId,
        providerMessageId: "3EB0C767D097B7C7C030",
        status: "sent",
        scheduledFor: null,
        heldBy: null,
        aiAgentPausedUntil: pausedUntil,
      },
    },
    {
      name: "queued_image",
      summary: "An image (picture, photo) through the paced queue",
      request: {
        ...target,
        messageType: "image",
        mediaUrl: "https://cdn.example.com/catalogue.png",
        message: "Nosso catálogo novo",
        queued: true,
        intervalSeconds: 60,
        cardId: "campaign-42",
        metadata: { campaign: "spring", segment: "returning" },
        sentBy: "automation",
      },
      response: {
        success: true,
        mode: "queued",
        ...outcome,
        messageId: demoSentMessageId,
        providerMessageId: null,
        status: "queued",
        scheduledFor: "2026-11-23T10:01:00.000-03:00",
        heldBy: "interval",
        aiAgentPausedUntil: pausedUntil,
      },
    },
    {
      name: "option_list",
      summary: "A list with sections: a menu of options, sent in one hour",
      request: {
        ...target,
        messageType: "option_list",
        message: "Como podemos ajudar?",
        optionList: {
          title: "Atendimento",
          buttonLabel: "Escolher",
          sections: [
            {
              title: "Comprar",
              options: [{ id: "sales", title: "Vendas", description: "Preços e prazos" }],
            },
            { title: "Já sou cliente", options: [{ id: "support", title: "Suporte" }] },
          ],
        },
        delayMessage: 3600,
      },
      response: {
        success: true,
        mode: "scheduled",
        ...outcome,
        messageId: demoSentMessageId,
        providerMessageId: null,
        status: "queued",
        scheduledFor: "2026-11-23T11:00:00.000-03:00",
        heldBy: "delay",
        rendering: "native",
        // Z-API shows one list.
        reduced: ["optionList.sections"],
        aiAgentPausedUntil: pausedUntil,
      },
    },
    {
      name: "buttons",
      summary: "Two buttons (quick replies), which this channel shows as numbered text",
      request: {
        ...target,
        messageType: "buttons",
        message: "Confirma a consulta de amanhã?",
        buttons: [{ id: "yes", title: "Sim" }, { id: "no", title: "Não" }],
        footer: "Clínica Sol",
        rendering: "text",
      },
      response: {
        success: true,
        mode: "sent",
        ...outcome,
        messageId: demoSentMessageId,
        providerMessageId: "3EB0C767D097B7C7C030",
        status: "sent",
        scheduledFor: null,
        heldBy: null,
        rendering: "text",
        aiAgentPausedUntil: pausedUntil,
      },
    },
    {
      name: "reminder",
      summary: "A reminder, scheduled for an instant, which a moved appointment cancels",
      request: {
        ...target,
        messageType: "text",
        message: "Sua consulta é amanhã às 9h.",
        sendAt: "2026-11-24T09:00:00-03:00",
        expiresAt: "2026-11-24T20:00:00-03:00",
        cancelKey: "appointment-4711",
      },
      response: {
        success: true,
        mode: "scheduled",
        ...outcome,
        messageId: demoSentMessageId,
        providerMessageId: null,
        status: "queued",
        scheduledFor: "2026-11-24T09:00:00.000-03:00",
        heldBy: "delay",
        aiAgentPausedUntil: pausedUntil,
      },
    },
    ...kindExamples.map(showKind),
    {
      name: "assign_only",
      summary: "Only assign an operator",
      request: { ...target, assignTo: demoOperatorEmail, portfolio: true },
      response: {
        success: true,
        mode: "assign_only",
        ...outcome,
        assignment: {
          contactId: demoContactId,
          assignedTo: demoOperatorId,
          previousAssignedTo: null,
          portfolio: true,
          transferred: false,
          departmentId: null,
        },
        aiAgentPausedUntil: null,
      },
    },
  ],
}];
