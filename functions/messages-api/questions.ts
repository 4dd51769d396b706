import type { Database } from "../../shared/database/database.ts";
import type { QuestionTarget } from "../../shared/database/rpcs/questions.ts";
import { answerJson } from "../../shared/http/answer.ts";
import { type ClientContext, requireInstance } from "../../shared/http/client_token_guard.ts";
import type { ClientRoute } from "../../shared/http/client_routes.ts";
import { lookUntil } from "../../shared/http/look_until.ts";
import { readPage } from "../../shared/http/page.ts";
import { validate } from "../../shared/http/validate.ts";
import { WaitingReaders } from "../../shared/http/waiting_readers.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { QuestionRecord } from "../../shared/model/question_record.ts";
import { idSchema, instanceQuerySchema } from "../../shared/model/request_fields.ts";
import type { LookBounds } from "../../shared/runtime/event_announcement.ts";
import {
  listQuestionsSchema,
  questionResponseSchema,
  questionsResponseSchema,
  readQuestionSchema,
} from "./questions_contract.ts";

interface QuestionServices {
  readonly database: Database;
}

/** Pauses between two looks at a question that somebody waits for. */
const lookBounds: LookBounds = { leastMs: 50, mostMs: 500 };

/** The operations on questions. Their readers that wait are those of one app. */
export function createQuestionOperations(): ClientRoute<QuestionServices>[] {
  const waiting = new WaitingReaders();
  const get = async ({ database }: QuestionServices, context: ClientContext): Promise<Response> => {
    const { waitSeconds } = validate(readQuestionSchema, context.req.query());
    const target = readTarget(context);
    const { signal } = context.req.raw;
    const question = await waiting.read(
      { tokenId: context.get("tokenId"), waitMs: waitSeconds * 1_000 },
      (waitMs) =>
        lookUntil({
          look: () => database.rpc("get_question", target),
          isFound: (question) => !isLive(question),
        }, { waitMs, signal, bounds: lookBounds }),
      isLive,
    );
    return answerJson(context, questionResponseSchema, { success: true, ...question });
  };
  return [
    { method: "GET", path: "/questions", query: listQuestionsSchema, handle: list },
    { method: "GET", path: "/questions/:id", query: readQuestionSchema, handle: get },
    { method: "DELETE", path: "/questions/:id", query: instanceQuerySchema, handle: cancel },
  ];
}

async function list({ database }: QuestionServices, context: ClientContext): Promise<Response> {
  const query = validate(listQuestionsSchema, context.req.query());
  const { instanceId } = requireInstance(context);
  const page = await readPage(
    "questions",
    { ...query, instanceId },
    (request) => database.rpc("list_questions", request),
  );
  return answerJson(context, questionsResponseSchema, { success: true, ...page });
}

async function cancel({ database }: QuestionServices, context: ClientContext): Promise<Response> {
  const question = await database.rpc("cancel_question", readTarget(context));
  return answerJson(context, questionResponseSchema, { success: true, ...question });
}

function isLive({ status }: QuestionRecord): boolean {
  return status === "waiting" || status === "open";
}

/** The question of the path. No question has an id of another form. */
function readTarget(context: ClientContext): QuestionTarget {
  const questionId = idSchema.safeParse(context.req.param("id"));
  if (!questionId.success) throw new AppError("question_not_found");
  return { instanceId: requireInstance(context).instanceId, questionId: questionId.data };
}
