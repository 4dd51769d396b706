import { announceEvents } from "../runtime/event_announcement.ts";
import type { Database } from "./database.ts";
import type { RequestOf, ResultOf, RpcName } from "./rpcs.ts";

/** The functions that usually record an event where they succeed. A test compares them with the SQL. */
export const recordingRpcs: ReadonlySet<RpcName> = new Set([
  "accept_answer",
  "accept_message",
  "accept_messages",
  "admit_mcp_send",
  "block_contact",
  "cancel_message",
  "cancel_messages_by_key",
  "cancel_question",
  "change_batch",
  "change_contact_tags",
  "change_payment",
  "create_batch",
  "end_turns",
  "erase_contact",
  "extend_batch",
  "hold_queue",
  "merge_contact",
  "note_connection",
  "note_conversation",
  "record_control",
  "record_provider_event_calls",
  "record_provider_events",
  "release_queue",
  "run_erasures",
  "run_payments",
  "run_questions",
  "save_contact",
  "set_agent_pause",
  "set_contact_consent",
  "set_conversation_status",
  "settle_may_have_left",
  "settle_message_calls",
  "settle_message_change",
  "settle_messages",
  "settle_template_call",
  "sync_message_templates",
  "take_erasure_steps",
  "unassign_conversation",
  "update_instance",
  "update_message_template",
  "update_people",
  "use_connection_link",
]);

/** Announces events when a call that may have recorded some has committed. */
export function announceRecordedEvents(database: Database): Database {
  return {
    async rpc<Name extends RpcName>(
      name: Name,
      request: RequestOf<Name>,
    ): Promise<ResultOf<Name>> {
      const result = await database.rpc(name, request);
      if (recordingRpcs.has(name)) announceEvents();
      return result;
    },
    close: () => database.close(),
  };
}
