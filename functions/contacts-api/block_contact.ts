import type { Database } from "../../shared/database/database.ts";
import type { ContactTarget } from "../../shared/database/rpcs/contacts.ts";
import {
  type ActingServices,
  askChannel,
  describeAction,
} from "../../shared/messages/channel_action.ts";
import type { SealedInstance } from "../../shared/model/instance.ts";
import type { AnswerOf } from "../../shared/model/response_fields.ts";
import type { ActionReceipt } from "../../shared/providers/provider.ts";
import { recipientNeedsPhone } from "../../shared/providers/recipient.ts";
import type { blockContactResponseSchema } from "./contract.ts";

export interface BlockingServices extends ActingServices {
  readonly database: Database;
}

/**
 * Blocks a person or ends it: here at once, so that no message leaves, then on the channel, whose word is told.
 * Doing it again is harmless, and asks the channel again.
 *
 * @throws {AppError} `contact_not_found`, `contact_erased`.
 */
export async function blockContact(
  services: BlockingServices,
  instance: SealedInstance,
  target: Omit<ContactTarget, "instanceId">,
  isBlocked: boolean,
): Promise<Omit<AnswerOf<typeof blockContactResponseSchema>, "success">> {
  const { instanceId } = instance;
  const { contactId, to } = await services.database.rpc("block_contact", {
    ...target,
    instanceId,
    isBlocked,
  });
  const action = isBlocked ? "block" : "unblock";
  const receipt: ActionReceipt = to === null
    ? recipientNeedsPhone
    : await askChannel(services, instance, () => ({ action, to }));
  const told = { contactId, isBlocked };
  if (receipt.outcome === "done") return { ...told, channel: `${action}ed` };
  if (receipt.outcome === "not_supported") return { ...told, channel: "not_supported" };
  return { ...told, channel: "refused", details: describeAction(receipt) };
}
