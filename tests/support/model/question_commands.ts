/** Commands about questions: a call reads one or cancels it. Messages ask, and people answer, by other commands. */

import fc from "fast-check";
import { choice, choose, type ModelCommand, toCommand } from "./commands.ts";
import type { ContractModel } from "./contract_model.ts";
import type { ModelQuestion } from "./contract_questions.ts";

function named(model: ContractModel): ModelQuestion[] {
  return model.questions.all.filter(({ id }) => id !== null);
}

/** One that has ended stays as it is. */
export const cancelQuestion: fc.Arbitrary<ModelCommand> = choice.map((place) =>
  toCommand({
    name: `cancel question ${place}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const question = choose(named(model), place)!;
      const path = `messages-api/questions/${question.id}`;
      const { isErased } = question.message.contact;
      const body = await run.expect(isErased ? 404 : 200, path, { method: "DELETE" });
      if (isErased) return;
      model.questions.cancel(question, "canceled");
      model.questions.checkRecord(question, body);
    },
  })
);

/** Time passes until a reminder, or an end, is due. */
export const advanceToQuestion: fc.Arbitrary<ModelCommand> = fc.constant(0).map(() =>
  toCommand({
    name: "advance to a question",
    check: (model) => model.questions.nextDueMs(0) !== null,
    run: async (model, run) => {
      const dueMs = model.questions.nextDueMs(run.world.nowMs());
      if (dueMs !== null) await run.world.skip((dueMs - run.world.nowMs()) / 1_000 + 1);
      await run.dispatch(model);
    },
  })
);

export const readQuestion: fc.Arbitrary<ModelCommand> = choice.map((place) =>
  toCommand({
    name: `read question ${place}`,
    check: (model) => named(model).length > 0,
    run: async (model, run) => {
      const question = choose(named(model), place)!;
      const path = `messages-api/questions/${question.id}`;
      const { isErased } = question.message.contact;
      const body = await run.expect(isErased ? 404 : 200, path);
      if (!isErased) model.questions.checkRecord(question, body);
    },
  })
);
