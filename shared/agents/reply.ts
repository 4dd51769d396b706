import { splitAnswer } from "./answer.ts";
import { fitOfferedChoices, readOfferedForm } from "./offered_choices.ts";
import type { OpenProvider } from "../providers/open_provider.ts";
import { buildPrompt, historyBudgets } from "./prompt.ts";
import { listAgentVariables } from "./variables.ts";
import { toWhatsAppSigns } from "./whatsapp_signs.ts";
import { type AskModel, type ChatAnswer, promptTooLong } from "./model.ts";
import type { Database } from "../database/database.ts";
import { DatabaseError, type OwnSqlstate } from "../database/sqlstates.ts";
import { linkMessages, type MediaLinks } from "../media/links.ts";
import { AppError, type ErrorCode } from "../model/errors.ts";
import type { AgentTurn, AgentTurnReading } from "../database/rpcs/agents.ts";
import { answerFiltered, askedAnewOnce } from "./model_answer.ts";
import { acceptAnswer, type AnswerDraft } from "../messages/accept.ts";
import type { DeliverOutboxRow } from "../outbox/delivery.ts";
import type { OutboxOutcome, OutboxRow } from "../database/rpcs/outbox.ts";

/** SQLSTATE of `take_agent_turn`: the agent must not answer. */
const agentMustNotAnswer: OwnSqlstate = "MI018";

/** Errors after which no retry can reach the contact. The row is done without an answer. */
const unreachable: ReadonlySet<ErrorCode> = new Set([
  "contact_blocked",
  "outside_conversation_window",
]);

/** How many recent messages the model gets. */
const historyLimit = 40;

/** Longest wait that a model may request. A later answer would confuse the contact. */
const maxRetryAfterMs = 10 * 60_000;

/** Time limit for repeated prompts. Together with one full call it stays below the lease. */
const maxRefusalsMs = 15_000;

/** Begins to show the person that an answer is being written. Returns at once, and never throws. */
export type ShowThinking = (
  target: { readonly instanceId: string; readonly conversationId: string },
) => void;

/**
 * Delivers AI agent replies (decisions, section 6). Asks the model first. Then one transaction takes the
 * turn and records the answer as messages, which the dispatcher sends. So an inbound message gets at
 * most one answer after any crash, and a pause that begins during the model call prevents the answer.
 */
export function createAgentReplies(
  database: Database,
  askModel: AskModel,
  links?: MediaLinks,
  openProvider?: OpenProvider,
  showThinking: ShowThinking = () => {},
): DeliverOutboxRow {
  return async (row) => {
    const { turn, isLimitReached } = await readTurn(database, row);
    if (turn === null) return settleWithoutAnswer(isLimitReached);
    if (turn.showsTyping) showThinking(readPayload(row));
    const isAskedAnew = askedAnewOnce.has(row.lastError ?? "");
    const answer = await askWithinContext(
      askModel,
      links === undefined ? turn : linkTurn(turn, links),
      isAskedAnew,
    );
    if ("error" in answer) return toFailure(answer, isAskedAnew);
    const drafts = await toDrafts(row, turn, answer.text, openProvider);
    if (await recordAnswer(database, row, turn, drafts)) return { outcome: "done" };
    // The agent was paused, or another answer came first. Later messages may still need an answer.
    const next = await readTurn(database, row);
    if (next.turn === null) return settleWithoutAnswer(next.isLimitReached);
    return { outcome: "retry", error: "turn_taken" };
  };
}

/** The model is told where a file is; some can look at a picture by its URL. */
function linkTurn(turn: AgentTurn, links: MediaLinks): AgentTurn {
  return { ...turn, history: linkMessages(turn.history, links) };
}

function readTurn(database: Database, row: OutboxRow): Promise<AgentTurnReading> {
  return database.rpc("read_agent_turn", { ...readPayload(row), limit: historyLimit });
}

/** A pause is intended, so the row is done. A limit is not, so the row becomes `dead` for operators. */
function settleWithoutAnswer(isLimitReached: boolean): OutboxOutcome {
  return isLimitReached ? { outcome: "dead", error: "agent_answer_limit" } : { outcome: "done" };
}

/** Retries with half the history while the prompt is too long for the model. */
async function askWithinContext(
  askModel: AskModel,
  turn: AgentTurn,
  isAskedAnew: boolean,
): Promise<ChatAnswer> {
  const startedAt = performance.now();
  let answer: ChatAnswer = { error: promptTooLong };
  for (const budgetBytes of historyBudgets) {
    answer = await askModel(turn.model, toPrompt(turn, budgetBytes, isAskedAnew));
    const isTooLong = "error" in answer && answer.error === promptTooLong;
    if (!isTooLong || performance.now() - startedAt > maxRefusalsMs) break;
  }
  return answer;
}

function toPrompt(
  turn: AgentTurn,
  budgetBytes: number,
  isAskedAnew: boolean,
): ReturnType<typeof buildPrompt> {
  const { instructions, givenName, contactPhone, profileName, history, answers } = turn;
  const variables = listAgentVariables(
    { name: givenName, phone: contactPhone },
    turn.collectedData,
  );
  return buildPrompt(
    { instructions, variables, profileName, history, answers, isAskedAnew },
    budgetBytes,
  );
}

/** A dead row tells that a person is needed: see settle_outbox. */
function toFailure(
  { error, retryAfterMs }: Extract<ChatAnswer, { error: string }>,
  isAskedAnew: boolean,
): OutboxOutcome {
  // A filtered answer is not retried. The contact's next message starts a new turn.
  if (error === answerFiltered) return { outcome: "dead", error };
  if (askedAnewOnce.has(error) && isAskedAnew) return { outcome: "dead", error };
  return { outcome: "retry", error, retryAfterMs: Math.min(retryAfterMs ?? 0, maxRetryAfterMs) };
}

/** What a model's answer sends: its words, in one message or several, or choices and a question of the agent. */
async function toDrafts(
  row: OutboxRow,
  { agentId, channel, maxMessages }: AgentTurn,
  answer: string,
  openProvider: OpenProvider | undefined,
): Promise<AnswerDraft[]> {
  const offered = readOfferedForm(answer);
  if (offered === null) {
    return splitAnswer(toWhatsAppSigns(answer), maxMessages).map((message) => ({
      content: { messageType: "text", message },
    }));
  }
  const { instanceId } = readPayload(row);
  // Credentials that cannot be opened hold the message when it leaves.
  const provider = await openProvider?.({ ...channel, instanceId }).catch(() => null) ?? null;
  const { content, ask } = offered;
  const fitted = fitOfferedChoices(channel, provider, content);
  return [{ ...fitted, ask: ask === undefined ? undefined : { ...ask, agentId } }];
}

/** @returns false where the turn is lost: the agent was paused or has answered meanwhile. */
async function recordAnswer(
  database: Database,
  row: OutboxRow,
  turn: AgentTurn,
  drafts: readonly AnswerDraft[],
): Promise<boolean> {
  const { agentId, answeredBefore, answersThrough } = turn;
  try {
    await acceptAnswer(database, {
      instanceId: readPayload(row).instanceId,
      phone: turn.address,
      drafts,
      agent: { agentId, answeredBefore, answersThrough },
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === agentMustNotAnswer) return false;
    if (error instanceof AppError && unreachable.has(error.code)) return true;
    throw error;
  }
}

function readPayload({ payload }: OutboxRow): { instanceId: string; conversationId: string } {
  const { instanceId, conversationId } = payload;
  if (typeof instanceId !== "string" || typeof conversationId !== "string") {
    throw new Error("an agent_reply row names no conversation");
  }
  return { instanceId, conversationId };
}
