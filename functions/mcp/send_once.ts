import * as z from "zod";
import { hashText } from "../../shared/crypto/encoding.ts";
import { findRecipientIssues, recipientFields } from "../../shared/model/request_fields.ts";
import { holdsQuoteMark } from "./quote_texts.ts";
import { type JsonObject, type McpSession, ToolRefusal } from "./session.ts";

/** Sends once for each intent: admitted by the token's rules, then by the API with the intent's key. */
export async function sendOnce(
  path: "send-message" | "send-template-message",
  { intent, ...message }: JsonObject,
  session: McpSession,
): Promise<JsonObject> {
  if (holdsQuoteMark(message)) {
    throw new ToolRefusal({
      error: "quote_marks",
      message: "Leave out the quote marks of these tools: they are not part of what people wrote.",
    });
  }
  const recipient = readRecipient(message);
  const idempotencyKey = `mcp-${await hashText(JSON.stringify([path, intent]))}`;
  const { instanceId, tokenId } = session;
  const { refusal, retryAfterSeconds } = await session.database.rpc("admit_mcp_send", {
    ...recipient,
    ...{ instanceId, tokenId },
    callKey: await hashText(JSON.stringify([idempotencyKey, recipient])),
  });
  if (refusal !== null) throw describeRefusal(refusal, retryAfterSeconds);
  const body = { ...message, instanceId };
  try {
    return await session.call({ method: "POST", path, body, idempotencyKey });
  } catch (error) {
    throw tellIntent(error);
  }
}

/** A model knows its intent, and nothing of the key that is made of it. */
function tellIntent(error: unknown): unknown {
  if (!(error instanceof ToolRefusal)) return error;
  const { retryAfterSeconds } = error.body;
  switch (error.body["error"]) {
    case "idempotency_key_reused":
      return new ToolRefusal({
        error: "intent_reused",
        message: "This intent was used for another message: give this one an intent of its own.",
      });
    case "idempotency_key_in_progress":
      return new ToolRefusal({
        error: "intent_in_progress",
        message: "The first call with this intent is still in progress: repeat it in a moment.",
        retryAfterSeconds,
      });
    default:
      return error;
  }
}

const recipientSchema = z.object(recipientFields);

function readRecipient(message: JsonObject): JsonObject {
  const issues = findRecipientIssues(message);
  const parsed = recipientSchema.safeParse(message);
  if (issues.length === 0 && parsed.success) return parsed.data;
  throw new ToolRefusal({
    error: "invalid_request",
    issues: parsed.success ? issues : parsed.error.issues.map(({ path: [name = ""], message }) => ({
      path: String(name),
      message,
    })),
  });
}

function describeRefusal(
  refusal: "recipient_not_known" | "hourly_limit",
  retryAfterSeconds: number | null,
): ToolRefusal {
  if (refusal === "hourly_limit") {
    const message = "The token's sends of this hour are spent.";
    return new ToolRefusal({ error: "rate_limited", message, retryAfterSeconds });
  }
  return new ToolRefusal({
    error: refusal,
    message:
      "This token may only write to people who have a contact already: find_contacts finds them.",
  });
}
