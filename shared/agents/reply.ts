import { toSendableAnswer } from "./answer.ts";
import { buildPrompt, historyBudgets } from "./prompt.ts";
import { listAgentVariables } from "./variables.ts";
import { type AskModel, type ChatAnswer, promptTooLong } from "./model.ts";
import type { Database } from "../database/database.ts";
import { DatabaseError, type OwnSqlstate } from "../database/sqlstates.ts";
import { AppError, type ErrorCode } from "../model/errors.ts";
import type { HistoryMessage } from "../history/query.ts";
import { answerFiltered } from "./model_answer.ts";
import { acceptMessage, defaultIntervalSeconds } from "../messages/accept.ts";
import type { DeliverOutboxRow, OutboxOutcome, OutboxRow } from "../outbox/delivery.ts";

/** What an agent needs to answer: see the SQL function `read_agent_turn`. */
interface AgentTurn {
  readonly agentId: string;
  readonly model: string;
  readonly instructions: string;
  readonly collectedData: Readonly<Record<string, unknown>>;
  /** As the API or an operator gave it; null where only the contact's profile tells a name. */
  readonly givenName: string | null;
  readonly profileName: string | null;
  readonly contactPhone: string | null;
  readonly address: string;
  /** The contact's questions: how many had been answered, and how many the history holds. */
  readonly answeredBefore: number;
  readonly answersThrough: number;
  readonly history: readonly HistoryMessage[];
}

/** SQLSTATE of `take_agent_turn` where the agent is to be silent. */
const agentIsSilent: OwnSqlstate = "MI018";

/** Refusals that end the matter in silence: no later try can reach the contact. */
const unreachable: ReadonlySet<ErrorCode> = new Set([
  "contact_blocked",
  "outside_conversation_window",
]);

/** Messages that the model is shown: recent ones say what a conversation is about. */
const historyLimit = 40;

/** Longest wait that a model may ask for: a later answer would come out of the blue. */
const maxRetryAfterMs = 10 * 60_000;

/** How long refusals may take together: with one whole wait for an answer, less than the lease. */
const maxRefusalsMs = 15_000;

/**
 * Answers what contacts wrote (decisions, section 6). The model is asked first; then, in one
 * transaction, the turn is taken and the answer recorded as a message of the agent, which the
 * dispatcher sends. So an inbound message has at most one answer whatever crashes, and a pause that
 * began while the model was thinking stops it.
 */
export function createAgentReplies(database: Database, askModel: AskModel): DeliverOutboxRow {
  return async (row) => {
    const { turn, isLimitReached } = await readTurn(database, row);
    if (turn === null) return keepSilent(isLimitReached);
    const answer = await askWithinContext(askModel, turn);
    if ("error" in answer) return toFailure(answer);
    if (await recordAnswer(database, row, turn, answer.text)) return { outcome: "done" };
    // Silenced, or another answer came first. What was written since then still waits for its own.
    const next = await readTurn(database, row);
    if (next.turn === null) return keepSilent(next.isLimitReached);
    return { outcome: "retry", error: "turn_taken" };
  };
}

/** What a row finds: null where the agent is silent, for its answers of this hour are used up or else. */
interface TurnReading {
  readonly turn: AgentTurn | null;
  readonly isLimitReached: boolean;
}

function readTurn(database: Database, row: OutboxRow): Promise<TurnReading> {
  return database.rpc("read_agent_turn", { ...readPayload(row), limit: historyLimit });
}

/** A pause is somebody's wish; a limit is not, so what it cost is kept where operators look. */
function keepSilent(isLimitReached: boolean): OutboxOutcome {
  return isLimitReached ? { outcome: "dead", error: "agent_answer_limit" } : { outcome: "done" };
}

/** Asks again with half the history where the model finds it too long. */
async function askWithinContext(askModel: AskModel, turn: AgentTurn): Promise<ChatAnswer> {
  const startedAt = performance.now();
  let answer: ChatAnswer = { error: promptTooLong };
  for (const budgetBytes of historyBudgets) {
    answer = await askModel(turn.model, toPrompt(turn, budgetBytes));
    const isTooLong = "error" in answer && answer.error === promptTooLong;
    if (!isTooLong || performance.now() - startedAt > maxRefusalsMs) break;
  }
  return answer;
}

function toPrompt(turn: AgentTurn, budgetBytes: number): ReturnType<typeof buildPrompt> {
  const { instructions, givenName, contactPhone, profileName, history } = turn;
  const variables = listAgentVariables(
    { name: givenName, phone: contactPhone },
    turn.collectedData,
  );
  return buildPrompt({ instructions, variables, profileName, history }, budgetBytes);
}

function toFailure({ error, retryAfterMs }: Extract<ChatAnswer, { error: string }>): OutboxOutcome {
  // What was filtered once stays unsaid: the contact's next message asks anew.
  if (error === answerFiltered) return { outcome: "dead", error };
  return { outcome: "retry", error, retryAfterMs: Math.min(retryAfterMs ?? 0, maxRetryAfterMs) };
}

/** False where the turn is not this answer's any more: the agent is paused, or has answered. */
async function recordAnswer(
  database: Database,
  row: OutboxRow,
  turn: AgentTurn,
  text: string,
): Promise<boolean> {
  const { agentId, answeredBefore, answersThrough } = turn;
  try {
    await acceptMessage(database, {
      instanceId: readPayload(row).instanceId,
      phone: turn.address,
      draft: {
        content: { messageType: "text", message: toSendableAnswer(text) },
        sentBy: "ai_agent",
      },
      assignment: null,
      agent: { agentId, answeredBefore, answersThrough },
      delivery: {
        queued: false,
        isDeferred: true,
        intervalSeconds: defaultIntervalSeconds,
        delaySeconds: 0,
        leaseSeconds: 0,
      },
      idempotency: null,
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === agentIsSilent) return false;
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
