import type { ContactTarget } from "../../shared/database/rpcs/contacts.ts";
import type { Idempotency } from "../../shared/database/rpcs/idempotency.ts";
import type { Database } from "../../shared/database/database.ts";
import { type Recorded, toRecorded } from "../../shared/idempotency/recorded_call.ts";
import {
  type ActingServices,
  type ActionRefusal,
  askChannel,
  refuseAction,
} from "../../shared/messages/channel_action.ts";
import {
  type ControlAction,
  type ControlReason,
  type ControlRole,
  type ConversationHolder,
  toHolder,
} from "../../shared/model/control.ts";
import type { ControlledConversation } from "../../shared/model/conversation_record.ts";
import { AppError } from "../../shared/model/errors.ts";
import type { Instance } from "../../shared/model/instance.ts";
import type { ActionReceipt } from "../../shared/providers/provider.ts";
import { recipientNeedsPhone } from "../../shared/providers/recipient.ts";

export interface ControllingServices extends ActingServices {
  readonly database: Database;
}

/** What a call asks for. `role` is whom a conversation is passed to; without one the escalation partner. */
export interface WantedControl {
  readonly target: Omit<ContactTarget, "instanceId">;
  readonly action: ControlAction;
  readonly role?: ControlRole | undefined;
  readonly idempotency: Idempotency | null;
}

/**
 * Asks the official channel to change who holds a conversation, and records what it has done. A refusal is not kept
 * under the `Idempotency-Key`: a repeated call asks again. Where its answer is lost nothing is recorded: what the
 * channel tells next decides.
 *
 * @throws {AppError} `unsupported_on_channel`, `contact_not_found`, `contact_erased`, `control_refused`,
 * `provider_send_failed` where it cannot be asked now, `provider_outcome_unknown`.
 */
export async function controlConversation(
  services: ControllingServices,
  instance: Instance,
  { target, action, role, idempotency }: WantedControl,
): Promise<Recorded<ControlledConversation>> {
  const { instanceId } = instance;
  if (instance.providerClass !== "official") throw refuseChannel();
  const found = await services.database.rpc("find_control_target", {
    ...target,
    instanceId,
    idempotency,
  });
  if ("replayed" in found) return toRecorded(found);
  const { contactId, to } = found;
  const receipt: ActionReceipt = to === null ? recipientNeedsPhone : await askChannel(
    services,
    instance,
    () => ({ action: "control", to, control: action, role }),
  );
  if (receipt.outcome !== "done") throw refuseAction(receipt, controlRefusal);
  const recorded = await services.database.rpc("record_control", {
    ...{ instanceId, contactId, idempotency },
    ...describeControl(action, role),
  });
  return toRecorded(recorded);
}

/** Who holds the conversation since. Whom a released one goes to the channel does not say. */
function describeControl(
  action: ControlAction,
  role: ControlRole | undefined,
): { readonly handledBy: ConversationHolder; readonly reason: ControlReason } {
  switch (action) {
    case "take":
      return { handledBy: "us", reason: "taken" };
    case "pass":
      return { handledBy: toHolder(role), reason: "passed" };
    case "release":
      return { handledBy: "other", reason: "released" };
  }
}

/** For an instance whose channel cannot change who holds a conversation. */
function refuseChannel(): AppError {
  return new AppError("unsupported_on_channel", { body: { details: { field: "action" } } });
}

const controlRefusal: ActionRefusal = {
  notSupported: refuseChannel,
  refused: "control_refused",
  unknown:
    "The channel may or may not have changed who holds the conversation; conversation.control_changed and the next message tell.",
  notNow: "The channel did not change it or could not be reached; see details.",
};
