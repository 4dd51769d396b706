import type { Database } from "../../shared/database/database.ts";
import { resolvePeriod } from "../../shared/history/period.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { ReadContextRequest, ReadContextResponse } from "./contract.ts";
import { formatConversation } from "./conversation.ts";
import { formatRawMessages } from "./raw_messages.ts";

/**
 * Reads the history of one contact over a range of days in the instance's time zone (specification
 * 4.2). Returns an empty history for an unknown phone, and creates no contact.
 */
export async function readContext(
  database: Database,
  instance: Instance,
  request: ReadContextRequest,
): Promise<Omit<ReadContextResponse, "success">> {
  const { start, end, limit, fromMe } = request;
  const { instanceId, gatewayInstanceId } = instance;
  const period = { start, end };
  const history = await database.rpc("read_history", {
    instanceId,
    ...readRecipient(request),
    ...resolvePeriod(period, instance.timeZone),
    limit,
    fromMe,
  });
  const messages = request.format === "raw"
    ? { messages: formatRawMessages(history.messages, instance.timeZone, request) }
    : { conversation: formatConversation(history, instance.name, request) };
  return {
    phone: request.phone ?? history.contact?.displayPhone ?? null,
    period,
    totalMessages: history.messages.length,
    hasMore: history.hasMore,
    ...messages,
    instanceInfo: { instanceId, gatewayInstanceId },
  };
}
