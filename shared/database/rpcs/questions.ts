import type { QuestionRecord, QuestionStatus } from "../../model/question_record.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";
import type { FormerSeals } from "./tenancy.ts";

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
  list_notify_seals_under_old_keys: Rpc<
    { readonly keyIds: readonly string[]; readonly limit: number },
    FormerSeals<SealedNotify>
  >;
  replace_notify_seals: Rpc<
    { readonly items: readonly ResealedNotify[] },
    { readonly replaced: number }
  >;
  run_questions: Rpc<
    { readonly maxQuestions: number },
    { readonly worked: number; readonly sent: number; readonly isComplete: boolean }
  >;
}

/** Where the end of a question is told, sealed, and what keeps it. */
export interface SealedNotify {
  readonly kind: "question" | "batch" | "notification";
  readonly id: string;
  readonly instanceId: string;
  readonly sealed: string;
}

/** The same under the current key, with the sealed text that it replaces. */
export interface ResealedNotify extends Omit<SealedNotify, "instanceId"> {
  readonly former: string;
}

/** A question of an instance. */
export interface QuestionTarget {
  readonly instanceId: string;
  readonly questionId: string;
}
