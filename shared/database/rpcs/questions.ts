import type { QuestionRecord, QuestionStatus } from "../../model/question_record.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface QuestionsRpcs {
  cancel_question: Rpc<QuestionTarget, QuestionRecord>;
  get_question: Rpc<QuestionTarget, QuestionRecord>;
  list_questions: Rpc<
    PageRequest<{
      readonly instanceId: string;
      readonly status?: QuestionStatus | undefined;
      readonly contactId?: string | undefined;
      readonly key?: string | undefined;
      readonly batchId?: string | undefined;
    }>,
    Page<QuestionRecord>
  >;
  run_questions: Rpc<
    { readonly maxQuestions: number },
    { readonly worked: number; readonly sent: number; readonly isComplete: boolean }
  >;
}

/** A question of an instance. */
export interface QuestionTarget {
  readonly instanceId: string;
  readonly questionId: string;
}
