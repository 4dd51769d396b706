import type { Database } from "../../shared/database/database.ts";
import { resolvePeriod } from "../../shared/history/period.ts";
import { linkMessages, type MediaLinks } from "../../shared/media/links.ts";
import { readRecipient } from "../../shared/model/request_fields.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { ReadContextRequest, ReadContextResponse } from "./contract.ts";
import { formatConversation } from "./conversation.ts";
import { formatRawMessages } from "./raw_messages.ts";

export interface ContextServices {
  readonly database: Database;
  readonly links: MediaLinks;
}

/**
 * Reads the history of one contact over a range of days in the instance's time zone (specification
 * 4.2). Returns an empty history for an unknown phone, and creates no contact.
 */
export async function readContext(
  { database, links }: ContextServices,
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
  const linked = { ...history, messages: linkMessages(history.messages, links) };
  const messages = request.format === "raw"
    ? {
      messages: formatRawMessages(linked.messages, request),
      ...(request.includeMeta ? { contact: history.contact?.shown ?? null } : {}),
    }
    : { conversation: formatConversation(linked, instance.name, request) };
  return {
    phone: request.phone ?? history.contact?.displayPhone ?? null,
    period,
    totalMessages: history.messages.length,
    hasMore: history.hasMore,
    ...messages,
    instanceInfo: { instanceId, gatewayInstanceId },
  };
}
