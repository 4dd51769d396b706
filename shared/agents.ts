import { toSendableAnswer } from "./agent_answer.ts";
import { buildPrompt } from "./agent_prompt.ts";
import type { AskModel } from "./chat_model.ts";
import type { Database } from "./database/database.ts";
import { DatabaseError } from "./database/sqlstates.ts";
import { AppError } from "./errors.ts";
import type { HistoryMessage } from "./history.ts";
import { acceptMessage, defaultIntervalSeconds } from "./messages.ts";
import type { DeliverOutboxRow, OutboxRow } from "./outbox.ts";

/** What an agent needs to answer: see the SQL function `read_agent_turn`. */
interface AgentTurn {
  readonly agentId: string;
  readonly model: string;
  readonly instructions: string;
  readonly collectedData: Readonly<Record<string, unknown>>;
  readonly contactName: string | null;
  readonly contactPhone: string | null;
  readonly address: string;
  /** The contact's questions: how many had been answered, and how many the history holds. */
  readonly answeredBefore: number;
  readonly answersThrough: number;
  readonly history: readonly HistoryMessage[];
}

/** SQLSTATE of `take_agent_turn` where the agent is to be silent. */
const agentIsSilent = "MI018";

/** Messages that the model is shown: recent ones say what a conversation is about. */
const historyLimit = 40;

/** Longest wait that a model may ask for: a later answer would come out of the blue. */
const maxRetryAfterMs = 10 * 60_000;

/**
 * Answers what contacts wrote (decisions, section 6). The model is asked first; then, in one
 * transaction, the turn is taken and the answer recorded as a message of the agent, which the
 * dispatcher sends. So an inbound message has at most one answer whatever crashes, and a pause that
 * began while the model was thinking stops it.
 */
export function createAgentReplies(database: Database, askModel: AskModel): DeliverOutboxRow {
  return async (row) => {
    const turn = await readTurn(database, row);
    if (turn === null) return { outcome: "done" };
    const answer = await askModel(turn.model, toPrompt(turn));
    if ("error" in answer) {
      const retryAfterMs = Math.min(answer.retryAfterMs ?? 0, maxRetryAfterMs);
      return { outcome: "retry", error: answer.error, retryAfterMs };
    }
    if (await recordAnswer(database, row, turn, answer.text)) return { outcome: "done" };
    // Silenced, or another answer came first. What was written since then still waits for its own.
    const isAsked = await readTurn(database, row) !== null;
    return isAsked ? { outcome: "retry", error: "turn_taken" } : { outcome: "done" };
  };
}

async function readTurn(database: Database, row: OutboxRow): Promise<AgentTurn | null> {
  const { turn } = await database.rpc<{ turn: AgentTurn | null }>("read_agent_turn", {
    ...readPayload(row),
    limit: historyLimit,
  });
  return turn;
}

function toPrompt(turn: AgentTurn): ReturnType<typeof buildPrompt> {
  return buildPrompt({
    instructions: turn.instructions,
    variables: {
      nome: turn.contactName,
      telefone: turn.contactPhone,
      ...turn.collectedData,
    },
    history: turn.history,
  });
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
    // A blocked contact or a closed window is the end of the matter, in silence.
    if (error instanceof AppError && error.status === 409) return true;
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
