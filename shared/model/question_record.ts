/** A question as messages-api and the events show it. */
import * as z from "zod";
import { acceptKinds } from "./ask.ts";
import { instantSchema } from "./instant.ts";
import { type AnswerOf, messageContactSchema } from "./response_fields.ts";

export const questionStatuses = ["waiting", "open", "answered", "expired", "canceled"] as const;
export type QuestionStatus = (typeof questionStatuses)[number];

/** Why a question was canceled. */
export const questionReasons = [
  ...["canceled", "replaced", "not_sent", "opted_out", "erased"] as const,
] as const;

/** What `reason` means, for the document. */
export const questionReasonMeaning =
  "`canceled`: by a call. `replaced`: another question has left to the same contact. `not_sent`: the message failed, was canceled or expired. `opted_out`: the contact wrote an opt-out keyword. `erased`: the person was erased.";

/** What became of a reminder. */
export const reminderStatuses = ["waiting", "sent", "outside_window", "refused"] as const;

/** What a person answered: each member where there is one. */
export const questionAnswerSchema = z.object({
  text: z.string().optional().meta({ description: "The words as they came." }),
  value: z.string().optional().meta({
    description:
      "What was read of them: a number such as `1234.50`, a date such as `2026-12-25`, an e-mail address, a CPF or CNPJ without its signs.",
  }),
  choice: z.object({
    id: z.string().meta({ description: "Id of the option." }),
    title: z.string().meta({ description: "Title of the option." }),
  }).optional().meta({
    description: "The option, tapped or typed.",
  }),
  mediaId: z.uuid().optional().meta({ description: "The file." }),
  location: z.record(z.string(), z.unknown()).optional().meta({ description: "The place." }),
  contact: z.record(z.string(), z.unknown()).optional().meta({ description: "The card." }),
});

export const questionRecordFields = {
  questionId: z.uuid(),
  messageId: z.uuid(),
  batchId: z.uuid().nullable(),
  key: z.string().nullable(),
  accept: z.enum(acceptKinds),
  status: z.enum(questionStatuses),
  reason: z.enum(questionReasons).nullable(),
  contact: messageContactSchema.nullable(),
  createdAt: instantSchema,
  openedAt: instantSchema.nullable(),
  expiresAt: instantSchema.nullable(),
  endedAt: instantSchema.nullable(),
  reminderStatus: z.enum(reminderStatuses).nullable(),
  reminderMessageId: z.uuid().nullable(),
  invalidMessageId: z.uuid().nullable(),
  answerMessageId: z.uuid().nullable(),
  answer: questionAnswerSchema.nullable(),
};

export type QuestionRecord = AnswerOf<z.ZodObject<typeof questionRecordFields>>;

/** What a message's record says of a question; each is left out where there is none. */
export const messageQuestionFields = {
  question: z.object({
    questionId: z.uuid().meta({ description: "Id of the question." }),
    status: z.enum(questionStatuses).meta({ description: "What has become of it." }),
  }).optional().meta({
    description: "The question that the message asks.",
  }),
  answers: z.uuid().optional().meta({
    description: "Id of the question that the message answers.",
  }),
};
