import { awaitedParties } from "../model/idle.ts";
import * as z from "zod";
import { allowanceSchema } from "../model/allowance.ts";
import { describePauseReasons, pauseReasons } from "../model/batch_states.ts";
import { consentSchema } from "../model/contact_record.ts";
import { controlReasons, conversationHolders } from "../model/control.ts";
import { conversationStatuses } from "../model/conversation_status.ts";
import { disabledReasons } from "../model/endpoint_states.ts";
import { type EventType, eventTypes } from "../model/event_types.ts";
import { holdFields, instanceHoldSchema } from "../model/hold.ts";
import { instantSchema } from "../model/instant.ts";
import { numberFacts } from "../model/number_facts.ts";
import { paymentStatusSchema } from "../model/payment_status.ts";
import {
  questionAnswerSchema,
  questionReasonMeaning,
  questionReasons,
} from "../model/question_record.ts";
import { messageContactSchema } from "../model/response_fields.ts";
import { messageRecordFields } from "../model/message_record.ts";

/** An event, as the feed and the webhooks give it. */
export const eventSchema = z.object({
  id: z.string(),
  type: z.enum(eventTypes),
  timestamp: instantSchema,
  instanceId: z.uuid(),
  sequence: z.int(),
  data: z.record(z.string(), z.unknown()),
});

/** The description of a type of event. */
export interface EventDescription {
  /** When it becomes true, as the end of a sentence. */
  readonly when: string;
  /** The component that describes its data, and its schema: several types may share one. */
  readonly dataName: string;
  readonly data: z.ZodObject;
  /** Meanings of its members that differ from those of other events. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** By what the person is known beside the phone stands where there is any. */
const person = {
  contactId: z.uuid(),
  phone: z.string().nullable(),
  name: z.string().nullable(),
  userId: z.string().optional(),
  username: z.string().optional(),
  lid: z.string().optional(),
};
const messageData = z.object({
  ...messageRecordFields,
  isTruncated: z.literal(true).optional(),
});

const ofMessage = (when: string): EventDescription => ({
  when,
  dataName: "MessageEventData",
  data: messageData,
});
const instanceChange = z.object({ reason: z.string().nullable() });
const batchData = z.object({
  batchId: z.uuid(),
  name: z.string().nullable(),
  status: z.string(),
  counts: z.record(z.string(), z.int().min(0)),
});
const batchFields = {
  batchId: "Id of the batch.",
  name: "Name of the batch.",
  status: "Status of the batch.",
  counts: "Number of its recipients in each status, at that moment.",
};
const budgetData = z.object({
  instanceId: z.uuid(),
  month: z.string(),
  monthlyAmount: z.string(),
  currency: z.string(),
  spent: z.string(),
  underWay: z.string(),
  reached: z.boolean(),
  warnAtPercent: z.int(),
  stops: z.array(z.string()),
});
const budgetFields = {
  month: "The month, such as `2026-11`, in the instance's time zone.",
  monthlyAmount: "The budget: decimal text.",
  currency: "Currency of the workspace's rates.",
  spent: "What the delivered messages of the month cost, at that moment.",
  underWay: "What those will cost that are accepted and not delivered yet.",
  reached: "Whether both together are the budget, or more.",
  warnAtPercent: "At how much of it the warning is told.",
  stops: "What waits while it is reached.",
};
const questionData = z.object({
  questionId: z.uuid(),
  key: z.string().nullable(),
  messageId: z.uuid(),
  batchId: z.uuid().nullable(),
  contact: messageContactSchema.nullable(),
});
const questionFields = {
  key: "The caller's own name for the question; null for none.",
  messageId: "Id of the message that asks.",
  batchId: "The batch that it was asked for; null for none.",
  contact: "Who was asked; null of an erased person.",
};
const holdMeaning = { heldBy: "What holds the instance, as `heldBy` of its messages." };
const endpointData = z.object({ endpointId: z.uuid() });

/** Each type of event with its data, as the API document describes it. */
export const eventDescriptions: Readonly<Record<EventType, EventDescription>> = {
  "message.received": ofMessage("a contact has written"),
  "message.sent": ofMessage("a message has left, or a person has written on the business's phone"),
  "message.delivered": ofMessage("a message has reached the contact's phone"),
  "message.read": ofMessage("the contact has read a message"),
  "message.failed": ofMessage("a message has failed"),
  "message.unconfirmed": ofMessage("it is not known whether a message has left"),
  "message.canceled": ofMessage("a waiting message was canceled"),
  "message.expired": ofMessage("a message was not sent in time"),
  "message.edited": ofMessage("the words of a message were changed"),
  "message.deleted": ofMessage("a message was deleted for everyone"),
  "message.reaction": ofMessage("a person reacted to a message, or took the reaction back"),
  "contact.created": {
    when: "a contact is new",
    dataName: "ContactEventData",
    data: z.object(person),
  },
  "contact.updated": {
    when: "fields or tags of a contact have changed",
    dataName: "ContactUpdatedEventData",
    data: z.object({ ...person, fieldsUpdated: z.array(z.string()) }),
  },
  "contact.merged": {
    when: "a contact was merged into another one",
    dataName: "ContactMergedEventData",
    data: z.object({ ...person, mergedInto: z.uuid() }),
  },
  "contact.identity_changed": {
    when: "the channel has given a contact another user id, or the person writes with another key",
    dataName: "ContactIdentityEventData",
    data: z.object({
      ...person,
      reason: z.enum(["user_id_changed", "device_changed"]),
      previousUserId: z.string().optional(),
      identity: z.string().optional(),
      previousIdentity: z.string().nullable().optional(),
    }),
    fields: {
      reason:
        "`user_id_changed`: the channel has given the person another user id. `device_changed`: the person has a new phone or installation, so the sender may be somebody else.",
      userId: "The person's user id; the new one, where that is the reason.",
      previousUserId: "The user id that it had: it still finds the contact.",
      identity: "What the channel calls the person's new key, where that is the reason.",
      previousIdentity: "What it called the key before; null where it had not told.",
    },
  },
  "contact.consent_changed": {
    when: "a contact's consent to marketing has changed",
    dataName: "ConsentEventData",
    data: z.object({
      ...person,
      consent: consentSchema,
    }),
  },
  "contact.erased": {
    when: "a person's data were erased",
    dataName: "ContactErasedEventData",
    data: z.object({ contactId: z.uuid() }),
  },
  "conversation.assigned": {
    when: "a conversation was assigned to another operator, or to nobody",
    dataName: "AssignedEventData",
    data: z.object({
      contactId: z.uuid(),
      conversationId: z.uuid(),
      operatorId: z.uuid().nullable(),
      assignedTo: z.uuid().nullable(),
      previousAssignedTo: z.uuid().nullable(),
      departmentId: z.uuid().nullable(),
      portfolio: z.boolean(),
    }),
    fields: { departmentId: "The conversation's department." },
  },
  "conversation.status_changed": {
    when: "the status of a conversation has changed",
    dataName: "ConversationStatusEventData",
    data: z.object({
      contactId: z.uuid(),
      conversationId: z.uuid(),
      status: z.enum(conversationStatuses),
    }),
    fields: { status: "Status of the conversation." },
  },
  "conversation.idle": {
    when: "nobody has written in a conversation for as long as the instance's `idle` says",
    dataName: "ConversationIdleEventData",
    data: z.object({
      contactId: z.uuid(),
      conversationId: z.uuid(),
      awaiting: z.enum(awaitedParties),
      afterMinutes: z.int().min(5).max(43_200),
      since: instantSchema,
      lastMessageId: z.uuid(),
    }),
    fields: {
      awaiting:
        "Who is to write next: `customer`, because the newest message is ours, or `us`, because it is the contact's.",
      afterMinutes: "The entry of the instance's `idle` that is due.",
      since: "When the newest message was received, or had left.",
      lastMessageId: "Id of the newest message.",
    },
  },
  "conversation.turn": {
    when: "a contact's turn has ended: its messages in a row, as the instance's `turns` says",
    dataName: "ConversationTurnEventData",
    data: z.object({
      contactId: z.uuid(),
      conversationId: z.uuid(),
      startedAt: instantSchema,
      endedAt: instantSchema,
      messages: z.array(z.object(messageRecordFields).partial().required({ messageId: true })),
      isTruncated: z.literal(true).optional(),
    }),
    fields: {
      startedAt: "When the turn's first message was received.",
      endedAt: "When the turn has ended.",
      messages:
        "The records of its messages, at most 50, in the order in which they were received. Those that would make the event longer than 20,000 bytes have their `messageId` alone.",
      isTruncated: "Whether records were left out.",
    },
  },
  "conversation.control_changed": {
    when: "another responder of an official number holds a conversation, or we do again",
    dataName: "ConversationControlEventData",
    data: z.object({
      contactId: z.uuid(),
      conversationId: z.uuid(),
      handledBy: z.enum(conversationHolders),
      previous: z.enum(conversationHolders),
      reason: z.enum(controlReasons),
      summary: z.string().optional(),
    }),
    fields: {
      handledBy:
        "Who holds it now: `us`; `channel_agent`, Meta's Business Agent; `other`, another responder, or one that the channel does not name.",
      previous: "Who held it until then.",
      reason:
        "`passed`, `taken`: handed over, as the channel tells or by `control`. `released`: by `control`. `message`: the channel gave us what the contact wrote. `standby`: it showed us what another one got. `merged`: with another contact's conversation.",
      summary: "What the former holder tells of the conversation; absent where it tells nothing.",
    },
  },
  "agent.paused": {
    when: "the AI agent pauses for a contact, or pauses anew",
    dataName: "AgentPauseEventData",
    data: z.object({ contactId: z.uuid(), pausedUntil: instantSchema.nullable() }),
  },
  "agent.resumed": {
    when: "a call has ended the agent's pause",
    dataName: "AgentPauseEventData",
    data: z.object({ contactId: z.uuid(), pausedUntil: instantSchema.nullable() }),
  },
  "agent.needs_person": {
    when: "the AI agent has given up an answer: what the contact wrote waits for a person",
    dataName: "AgentNeedsPersonEventData",
    data: z.object({ contactId: z.uuid(), conversationId: z.uuid(), reason: z.string() }),
    fields: {
      reason:
        "Why: `model_markup_unknown`, `model_called_tool`, `model_answer_filtered`, `agent_answer_limit`, or the error of the last attempt, such as `model_http_500`.",
    },
  },
  "instance.held": {
    when: "nothing of the instance leaves until `heldUntil`",
    dataName: "InstanceHeldEventData",
    data: z.object({
      heldBy: instanceHoldSchema,
      ...holdFields,
      reason: z.string().nullable(),
    }),
    fields: { ...holdMeaning, reason: "The same as `holdReason`." },
  },
  "instance.connected": {
    when: "the channel is connected again",
    dataName: "InstanceEventData",
    data: instanceChange,
  },
  "instance.disconnected": {
    when: "the channel has lost its connection",
    dataName: "InstanceDisconnectedEventData",
    data: instanceChange.extend({
      until: instantSchema.nullable(),
      heldBy: instanceHoldSchema,
      ...holdFields,
    }),
    fields: {
      ...holdMeaning,
      until: "When a restriction of the channel ends; null where it tells no end.",
    },
  },
  "instance.connection_link_used": {
    when: "the phone was connected by a connection link, which has ended",
    dataName: "InstanceLinkEventData",
    data: z.object({ linkId: z.uuid() }),
    fields: { linkId: "Id of the link." },
  },
  "instance.limit_changed": {
    when: "the channel has changed what the number may send, or warns that it will",
    dataName: "InstanceLimitEventData",
    data: z.object({
      reason: z.string().nullable(),
      limit: z.string().nullable(),
      previousLimit: z.string().nullable(),
      effectiveAt: instantSchema.nullable(),
      allowance: allowanceSchema.optional(),
    }),
    fields: {
      reason:
        "The channel's word, such as `UPGRADE`, `SCHEDULE_FOR_DISABLE` or `ACCOUNT_VIOLATION: SCAM`; null where the service has read it (`GET connection`).",
      effectiveAt: "When it takes effect, of what is planned; null otherwise.",
      limit: "The limit as the channel names it, such as `TIER_2K`; null when it tells none.",
      previousLimit: "The limit before; null while it was not known.",
      allowance: "What the number may do since. Absent in events from before 1.2.0.",
    },
  },
  "instance.number_changed": {
    when: "the channel has decided on the number's name or username, or rates its quality anew",
    dataName: "InstanceNumberEventData",
    data: z.object({
      fact: z.enum(numberFacts),
      status: z.string(),
      value: z.string().nullable(),
      previousValue: z.string().nullable(),
      reason: z.string().nullable(),
    }),
    fields: {
      fact: "What it is about.",
      status: "The channel's word, such as `APPROVED`, `DEFERRED`, `FLAGGED`, `reserved`.",
      value: "The display name or username; null where it was taken away, and of the quality.",
      previousValue: "The one before; null while none was known.",
      reason: "Why a name was rejected, in the channel's word; null for none.",
    },
  },
  "template.status_changed": {
    when: "the channel has decided on a template: its status, its category, its quality, its end",
    dataName: "TemplateStatusEventData",
    data: z.object({
      templateId: z.uuid(),
      name: z.string(),
      language: z.string(),
      status: z.string().nullable(),
      category: z.string().nullable(),
      quality: z.string().nullable(),
      reason: z.string().nullable(),
      disablesAt: instantSchema.nullable(),
    }),
    fields: {
      name: "Name of the template.",
      status: "The channel's decision.",
      category: "The category that it has now, by which it costs.",
      quality: "The channel's rating, `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells.",
      reason: "Why it was rejected or paused, in the channel's word; null for none.",
      disablesAt: "When the channel will disable it; null for no plan.",
    },
  },
  "template.category_warning": {
    when: "the channel announces that it will change a template's category, a day before",
    dataName: "TemplateCategoryEventData",
    data: z.object({
      templateId: z.uuid(),
      name: z.string(),
      language: z.string(),
      from: z.string(),
      to: z.string(),
      at: instantSchema,
    }),
    fields: {
      name: "Name of the template.",
      from: "The category that it has.",
      to: "The category that it will have: its messages cost by it.",
      at: "When.",
    },
  },
  "batch.paused": {
    when: "a batch has paused by itself, at an error that its next messages would meet too",
    dataName: "BatchPausedEventData",
    data: batchData.extend({
      reason: z.enum(pauseReasons),
      error: z.object({ code: z.string(), message: z.string() }),
    }),
    fields: {
      ...batchFields,
      reason: `Why: ${describePauseReasons()}.`,
      error: "The last error.",
      "error.code": "The provider's code, or ours.",
      "error.message": "The provider's words.",
    },
  },
  "batch.finished": {
    when: "nothing of a batch waits any more",
    dataName: "BatchEventData",
    data: batchData,
    fields: batchFields,
  },
  "payment.changed": {
    when: "a payment that a message asks for has got a new status, by a call or by its `expiresAt`",
    dataName: "PaymentEventData",
    data: z.object({
      messageId: z.uuid(),
      reference: z.string(),
      amount: z.string(),
      currency: z.string(),
      status: paymentStatusSchema,
      contact: messageContactSchema.nullable(),
    }),
    fields: {
      messageId: "Id of the message that asks for it.",
      reference: "Your own name for it.",
      amount: "What is to be paid: decimal text.",
      currency: "`BRL`.",
      contact: "Who is to pay.",
    },
  },
  "question.answered": {
    when: "a contact has answered a question",
    dataName: "QuestionAnsweredEventData",
    data: questionData.extend({
      answerMessageId: z.uuid(),
      answer: questionAnswerSchema,
    }),
    fields: {
      ...questionFields,
      answerMessageId: "Id of the message that answers.",
      answer: "What the person answered.",
    },
  },
  "question.expired": {
    when: "nobody has answered a question in time",
    dataName: "QuestionEventData",
    data: questionData,
    fields: questionFields,
  },
  "question.canceled": {
    when: "a question has ended without an answer before its time",
    dataName: "QuestionCanceledEventData",
    data: questionData.extend({ reason: z.enum(questionReasons) }),
    fields: { ...questionFields, reason: questionReasonMeaning },
  },
  "budget.warning": {
    when: "a budget's `warnAtPercent` is spent or under way, once a month and amount",
    dataName: "BudgetEventData",
    data: budgetData,
    fields: budgetFields,
  },
  "budget.reached": {
    when: "a budget is spent or under way, once a month and amount",
    dataName: "BudgetEventData",
    data: budgetData,
    fields: budgetFields,
  },
  "endpoint.disabled": {
    when: "a webhook endpoint was disabled",
    dataName: "EndpointDisabledEventData",
    data: z.object({ ...endpointData.shape, reason: z.enum(disabledReasons) }),
  },
  "endpoint.test": {
    when: "a call asks for a test",
    dataName: "EndpointTestEventData",
    data: endpointData,
  },
};
