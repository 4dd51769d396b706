import { buildPrompt } from "./agent_prompt.ts";
import type { AskModel } from "./chat_model.ts";
import type { Database } from "./database/database.ts";
import { AppError } from "./errors.ts";
import type { HistoryMessage } from "./history.ts";
import { acceptMessage, defaultIntervalSeconds } from "./messages.ts";
import type { DeliverOutboxRow, OutboxOutcome, OutboxRow } from "./outbox.ts";

/** What an agent needs to answer: see the SQL function `read_agent_turn`. */
interface AgentTurn {
  readonly agentId: string;
  readonly model: string;
  readonly instructions: string;
  readonly collectedData: Readonly<Record<string, unknown>>;
  readonly contactName: string | null;
  readonly contactPhone: string | null;
  readonly address: string;
  /** The newest inbound message that the answer takes account of. */
  readonly answersThrough: string;
  readonly history: readonly HistoryMessage[];
}

/** Messages that the model is shown: recent ones say what a conversation is about. */
const historyLimit = 40;

/**
 * Answers what contacts wrote (decisions, section 6). The model is asked first; then, in one
 * transaction, the turn is taken and the answer recorded as a message of the agent, which the
 * dispatcher sends. So an inbound message has at most one answer whatever crashes, and a pause that
 * began while the model was thinking stops it.
 */
export function createAgentReplies(database: Database, askModel: AskModel): DeliverOutboxRow {
  return async (row) => {
    const { instanceId, conversationId } = readPayload(row);
    const { turn } = await database.rpc<{ turn: AgentTurn | null }>("read_agent_turn", {
      instanceId,
      conversationId,
      limit: historyLimit,
    });
    if (turn === null) return { outcome: "done" };
    const answer = await askModel(turn.model, toPrompt(turn));
    if ("error" in answer) {
      return { outcome: "retry", error: answer.error, retryAfterMs: answer.retryAfterMs };
    }
    return await recordAnswer(database, instanceId, turn, answer.text);
  };
}

function toPrompt(turn: AgentTurn): ReturnType<typeof buildPrompt> {
  return buildPrompt({
    instructions: turn.instructions,
    variables: {
      ...turn.collectedData,
      nome: turn.contactName,
      telefone: turn.contactPhone,
    },
    history: turn.history,
  });
}

/** What stands against the answer by now (a pause, a blocked contact) ends the matter in silence. */
async function recordAnswer(
  database: Database,
  instanceId: string,
  turn: AgentTurn,
  text: string,
): Promise<OutboxOutcome> {
  try {
    await acceptMessage(database, {
      instanceId,
      phone: turn.address,
      draft: { content: { messageType: "text", message: text }, sentBy: "ai_agent" },
      assignment: null,
      agent: { agentId: turn.agentId, answersThrough: turn.answersThrough },
      delivery: {
        queued: false,
        isDeferred: true,
        intervalSeconds: defaultIntervalSeconds,
        delaySeconds: 0,
        leaseSeconds: 0,
      },
      idempotency: null,
    });
    return { outcome: "done" };
  } catch (error) {
    if (error instanceof AppError && error.status === 409) return { outcome: "done" };
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
