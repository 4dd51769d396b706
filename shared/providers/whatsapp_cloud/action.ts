/**
 * What the Cloud API is asked beside sending: read receipts with typing (page Mark messages as read), blocking
 * (page Block users) and who holds a conversation (page Conversation routing: thread control). It can neither
 * edit nor delete what it has sent.
 */
import type { ChannelAction } from "../action.ts";
import { actionDone, toActionReceipt } from "../action_receipt.ts";
import type { ActionReceipt } from "../provider.ts";
import { isSuccess, type ReadingContext } from "../classification.ts";
import type { HttpAnswer } from "../http/call.ts";
import { isPlainObject } from "../../model/bounded_fields.ts";
import { readText, readValue } from "../../model/json_value.ts";
import { isUserId } from "../recipient.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphPath } from "./graph.ts";

/** One call, its path below the base URL. */
export interface CloudCall {
  readonly method: "POST" | "DELETE";
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The call of an action; undefined where the channel has no such thing. */
export function toWhatsappCloudCall(
  action: ChannelAction,
  config: WhatsappCloudConfig,
  phoneNumberId: string,
): CloudCall | undefined {
  switch (action.action) {
    case "mark_read": {
      // Earlier messages of the chat count as read with it.
      const newest = action.providerMessageIds.at(-1);
      if (newest === undefined) return undefined;
      return {
        method: "POST",
        path: graphPath(config, phoneNumberId, "messages"),
        body: {
          messaging_product: "whatsapp",
          status: "read",
          message_id: newest,
          ...(action.showsTyping ? { typing_indicator: { type: "text" } } : {}),
        },
      };
    }
    case "block":
    case "unblock":
      return {
        method: action.action === "block" ? "POST" : "DELETE",
        path: graphPath(config, phoneNumberId, "block_users"),
        body: {
          messaging_product: "whatsapp",
          block_users: [isUserId(action.to) ? { user_id: action.to } : { user: `+${action.to}` }],
        },
      };
    case "control":
      return {
        method: "POST",
        path: graphPath(config, phoneNumberId, "thread_control"),
        body: {
          messaging_product: "whatsapp",
          ...(isUserId(action.to) ? { recipient: action.to } : { to: action.to }),
          action: action.control,
          ...(action.role === undefined ? {} : { control_pass: { target_role: action.role } }),
        },
      };
    case "show_typing":
    case "edit":
    case "delete":
      return undefined;
  }
}

/**
 * Reads the outcome of a call. Of blocking the lists decide, not the status: error 139100 says only that
 * some of the people were left out, and a success may leave somebody out.
 */
export function readWhatsappCloudActionAnswer(
  { action }: ChannelAction,
  answer: HttpAnswer,
  context: ReadingContext,
): ActionReceipt {
  if (action === "block" || action === "unblock") {
    const listed = readLists(answer.json, context);
    if (listed !== undefined) return listed;
  }
  const hasError = readValue(answer.json, "error") !== undefined;
  if (isSuccess(answer) && !hasError) {
    if (readValue(answer.json, "success") === false) return notDone;
    // A proxy's page with status 200 does not say that the channel has changed anything.
    if (action === "control" && !isPlainObject(answer.json)) return unreadable;
    return action === "mark_read" || action === "control"
      ? actionDone
      : { outcome: "unknown", reason: "no_list" };
  }
  const receipt = toActionReceipt(readWhatsappCloudAnswer(answer, context));
  const isOfEscalation = action === "control" && receipt.outcome === "rejected" &&
    readValue(answer.json, "error", "error_subcode") === notEscalation;
  return isOfEscalation ? { ...receipt, code: String(notEscalation) } : receipt;
}

/** The Graph API's `success: false`, which comes with status 200. */
const notDone: ActionReceipt = {
  outcome: "rejected",
  code: "not_successful",
  message: "The channel answered that it has not done it.",
  retryable: false,
  scope: "message",
};

const unreadable: ActionReceipt = { outcome: "unknown", reason: "malformed_answer" };

/** Only the escalation partner may take a conversation (page Conversation routing); the code is a plain 100. */
const notEscalation = 2_494_191;

/** Of the one person that a call names; undefined for an answer that lists nobody. */
function readLists(json: unknown, { redact }: ReadingContext): ActionReceipt | undefined {
  const places = [["block_users"], ["error", "error_data", "block_users"], [
    "error",
    "block_users",
  ]];
  for (const place of places) {
    const listOf = (name: string): unknown[] => {
      const list = readValue(json, ...place, name);
      return Array.isArray(list) ? list : [];
    };
    if (listOf("added_users").length + listOf("removed_users").length > 0) return actionDone;
    const [failed] = listOf("failed_users");
    if (failed !== undefined) {
      const words = readText(failed, "errors", 0, "message") ??
        readText(failed, "errors", 0, "error_data", "details") ??
        "The provider did not change the block of this person.";
      const code = readValue(failed, "errors", 0, "code") ?? readValue(json, "error", "code");
      return {
        outcome: "rejected",
        code: typeof code === "number" ? String(code) : "139100",
        message: redact(words),
        retryable: false,
        scope: "message",
      };
    }
  }
  return undefined;
}
