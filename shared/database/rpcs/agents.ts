import type { AgentPause, SetAgentPause } from "../../model/conversation_record.ts";
import type { AgentRecord } from "../../model/tenant_records.ts";
import type { Instance } from "../../model/instance.ts";
import type { ContactTarget } from "./contacts.ts";
import type { AcceptMessageRequest } from "./messages.ts";
import type { HistoryMessage } from "./history.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface AgentsRpcs {
  accept_answer: Rpc<AnswerRequest, { readonly messageIds: readonly string[] }>;
  create_ai_agent: Rpc<
    Once<AgentFields & { readonly instanceId: string }>,
    RecordedResult<AgentRecord>
  >;
  get_ai_agent: Rpc<{ readonly agentId: string }, AgentRecord>;
  list_ai_agents: Rpc<PageRequest<{ readonly instanceId?: string }>, Page<AgentRecord>>;
  update_ai_agent: Rpc<
    { readonly agentId: string; readonly changes: Partial<AgentFields> },
    AgentRecord
  >;
  get_agent_pause: Rpc<ContactTarget, AgentPause>;
  set_agent_pause: Rpc<
    SetPauseRequest,
    RecordedResult<SetAgentPause>
  >;
  read_agent_turn: Rpc<AgentTurnRequest, AgentTurnReading>;
  read_agent_variables: Rpc<ContactTarget, KnownVariables>;
}

/** An agent's answer: its messages leave one after the other. */
export type AnswerRequest = Omit<AcceptMessageRequest, "message" | "authentication"> & {
  readonly messages: readonly NonNullable<AcceptMessageRequest["message"]>[];
};

/** The writable fields of an agent. */
export type AgentFields = Omit<AgentRecord, "agentId" | "instanceId" | "createdAt" | "updatedAt">;

export type SetPauseRequest = Once<
  ContactTarget & { readonly paused: boolean; readonly minutes: number }
>;

export interface AgentTurnRequest {
  readonly instanceId: string;
  readonly conversationId: string;
  /** Number of messages of the history. */
  readonly limit: number;
}

/** The channel that an agent's reply goes through. */
export type AgentTurnChannel = Pick<
  Instance,
  "provider" | "sealedProviderConfig" | "gatewayInstanceId" | "interactiveRendering"
>;

/** The input of an agent's reply. */
export interface AgentTurn {
  readonly agentId: string;
  readonly channel: AgentTurnChannel;
  readonly model: string;
  readonly instructions: string;
  /** How many messages the reply may be. */
  readonly maxMessages: number;
  readonly collectedData: Readonly<Record<string, unknown>>;
  /** The name that the API or an operator gave; null where only the profile has one. */
  readonly givenName: string | null;
  readonly profileName: string | null;
  readonly contactPhone: string | null;
  readonly address: string;
  /** Inbound messages: how many were answered before, and how many this reply answers. */
  readonly answeredBefore: number;
  readonly answersThrough: number;
  /** Whether the person may see that a reply is being written. */
  readonly showsTyping: boolean;
  readonly history: readonly HistoryMessage[];
  /** What was read of answers to questions of agents, by the id of the message that answers. */
  readonly answers: Readonly<Record<string, string>>;
}

/** `turn` is null where the agent must not reply: paused, inactive, or at its hourly limit. */
export interface AgentTurnReading {
  readonly turn: AgentTurn | null;
  readonly isLimitReached: boolean;
}

/**
 * Values for the variables of a conversation's first message, in addition to those of the request.
 */
export interface KnownVariables {
  readonly collectedData: Readonly<Record<string, unknown>>;
  readonly name: string | null;
  readonly phone: string | null;
}
