/**
 * Who answers a person now, where a number has several responders (pages Webhooks: messaging_handovers;
 * Conversation routing). `control_passed` goes to the new holder and `control_taken` to the former one, so each is
 * about us. A release is told by no webhook: the next message of the person tells.
 */
import { normalizeAddress } from "../webhooks/addresses.ts";
import { readLabel, readNumericId, readPassage, readTime } from "../webhooks/fields.ts";
import { readId, readValue } from "../../model/json_value.ts";
import { toHolder } from "../../model/control.ts";
import type { ControlEvent } from "../webhooks/provider_event.ts";
import type { CloudContacts } from "./contacts.ts";

/** A handover; undefined for one of a person whom the channel does not name, and for an unknown type. */
export function readCloudHandover(value: unknown): ControlEvent | undefined {
  const type = readLabel(value, "type");
  if (type !== "control_passed" && type !== "control_taken") return undefined;
  const sender = readValue(value, "sender");
  const [address, ...otherAddresses] = [
    readNumericId(sender, "phone_number") ?? normalizeAddress(readValue(sender, "phone_number")),
    readId(sender, "user_id"),
  ].filter((known) => known !== undefined);
  if (address === undefined) return undefined;
  const told = readValue(value, type);
  return {
    ...{ kind: "control", address, otherAddresses },
    ...(type === "control_passed"
      ? { handledBy: "us", former: readFormer(told), reason: "passed" } as const
      : { handledBy: toHolder(readLabel(told, "new_owner_role")), reason: "taken" } as const),
    summary: readSummary(told),
    at: readTime(value, "s", "timestamp"),
  };
}

/** What a former holder tells beside an ordinary message of the person: the message is ours to answer. */
export function readCloudContext(
  value: unknown,
  contacts: CloudContacts,
): ControlEvent | undefined {
  const summary = readSummary(value);
  const message = readValue(value, "messages", 0);
  const addresses = summary === undefined
    ? undefined
    : contacts.findAddresses([readId(message, "from"), readId(message, "from_user_id")]);
  return addresses === undefined ? undefined : {
    ...{ kind: "control", ...addresses, handledBy: "us", reason: "message", summary },
    at: readTime(message, "s", "timestamp"),
  };
}

/** Who handed the conversation over: its role, or in the older form what kind of app it was. */
function readFormer(told: unknown): ControlEvent["former"] {
  const role = readLabel(told, "previous_owner_role");
  if (role !== undefined) return toHolder(role);
  const isAgent = readLabel(told, "previous_owner_app_role") === "meta_business_agent";
  return isAgent ? "channel_agent" : undefined;
}

/** A model's words about the conversation: shown, never read. */
function readSummary(told: unknown): string | undefined {
  return readPassage(told, "conversation_context", "summary", "text");
}
