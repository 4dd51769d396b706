import {
  demoBatchId,
  demoContact,
  demoInstanceRef,
  demoQuestionId,
  demoSentMessageId,
} from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import { questionTexts, textsBelow } from "../../shared/openapi/record_texts.ts";
import { instanceQuerySchema } from "../../shared/model/request_fields.ts";
import {
  listQuestionsSchema,
  questionResponseSchema,
  questionsResponseSchema,
  readQuestionSchema,
} from "./questions_contract.ts";

const open = {
  questionId: demoQuestionId,
  messageId: demoSentMessageId,
  batchId: null,
  key: "signup-4711",
  accept: "email",
  status: "open",
  reason: null,
  contact: demoContact,
  createdAt: "2026-11-23T12:58:41.000Z",
  openedAt: "2026-11-23T12:58:41.120Z",
  expiresAt: "2026-11-23T14:58:41.120Z",
  endedAt: null,
  reminderStatus: null,
  reminderMessageId: null,
  invalidMessageId: null,
  answerMessageId: null,
  answer: null,
};

const pathParameters = {
  id: { description: "`questionId` of the question.", example: demoQuestionId },
};

/** What clients do with questions. */
export const questionOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/questions",
    operationId: "listQuestions",
    tag: "Messages",
    summary: "List questions",
    description:
      "Pages of the questions that messages have asked, oldest first. All filters can be combined.",
    access: "clientToken",
    query: listQuestionsSchema,
    success: { description: "A page of questions.", schema: questionsResponseSchema },
    errors: ["contact_not_found", "contact_erased", "batch_not_found"],
    fields: {
      ...textsBelow("items", questionTexts),
      status: "Only questions with this status.",
      contactId: "Only questions to this contact.",
      key: "Only questions with this name of yours.",
      batchId: "Only questions of this batch.",
    },
    examples: [{
      name: "of_a_batch",
      summary: "The questions of a batch that nobody has answered yet",
      request: { instanceId: demoInstanceRef, batchId: demoBatchId, status: "open" },
      response: { success: true, items: [{ ...open, batchId: demoBatchId }], nextCursor: null },
    }],
  },
  {
    method: "GET",
    path: "/questions/:id",
    operationId: "getQuestion",
    tag: "Messages",
    summary: "Read a question, or wait for its answer",
    description:
      "With `waitSeconds` the call answers as soon as the question has ended, at the latest after that time: ask again while it is `waiting` or `open`. At most 10 readers of one token wait in a process.",
    access: "clientToken",
    pathParameters,
    query: readQuestionSchema,
    success: { description: "The question.", schema: questionResponseSchema },
    errors: ["question_not_found"],
    fields: {
      ...questionTexts,
      waitSeconds: "How long to wait for its end, in seconds: 0 (the default) to 20.",
    },
    examples: [{
      name: "still_open",
      summary: "A question that nobody has answered yet",
      request: { instanceId: demoInstanceRef },
      response: { success: true, ...open },
    }],
  },
  {
    method: "DELETE",
    path: "/questions/:id",
    operationId: "cancelQuestion",
    tag: "Messages",
    summary: "Cancel a question",
    description:
      "A question that waits or is open becomes `canceled`; its message stays. One that has ended stays as it is.",
    access: "clientToken",
    pathParameters,
    query: instanceQuerySchema,
    success: { description: "The question.", schema: questionResponseSchema },
    errors: ["question_not_found"],
    fields: questionTexts,
    examples: [{
      name: "canceled",
      summary: "A question that nobody needs answered any more",
      request: { instanceId: demoInstanceRef },
      response: {
        success: true,
        ...open,
        status: "canceled",
        reason: "canceled",
        endedAt: "2026-11-23T13:10:00.000Z",
      },
    }],
  },
];
