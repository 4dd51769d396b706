import { createAgentReplies } from "../../../shared/agents/reply.ts";
import type { Database } from "../../../shared/database/database.ts";
import { AppError, type ErrorCode } from "../../../shared/model/errors.ts";
import type { OutboxOutcome } from "../../../shared/database/rpcs/outbox.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";

const turn = {
  agentId: "a",
  model: "m",
  instructions: "Help.",
  collectedData: {},
  givenName: null,
  profileName: null,
  contactPhone: "5511988887777",
  address: "5511988887777",
  answeredBefore: 0,
  answersThrough: 1,
  history: [],
};

/** Lets the agent answer, and rejects the recording of the answer. */
function answerRefusedWith(refusal: Error): Promise<OutboxOutcome> {
  const database: Database = {
    rpc: (name: string) =>
      name === "read_agent_turn"
        ? Promise.resolve({ turn, isLimitReached: false } as never)
        : Promise.reject(refusal),
    close: () => Promise.resolve(),
  };
  const deliver = createAgentReplies(database, () => Promise.resolve({ text: "Hi" }));
  return deliver({
    outboxId: "o",
    claimToken: "c",
    kind: "agent_reply",
    payload: { instanceId: "i", conversationId: "c" },
  });
}

Deno.test("an agent's answer to an unreachable contact is dropped without an error", async () => {
  for (const code of ["contact_blocked", "outside_conversation_window"] as const) {
    assertEquals(await answerRefusedWith(new AppError(code)), { outcome: "done" });
  }
});

Deno.test("any other rejection of an agent's answer is retried", async () => {
  const others: readonly ErrorCode[] = ["already_exists", "send_window_never_opens"];
  for (const code of others) {
    const error = await assertRejects(() => answerRefusedWith(new AppError(code)), AppError);
    assertEquals(error.code, code);
  }
});
