/**
 * What Meta tells of the business's own number in Cloud API webhooks (pages Webhooks:
 * phone_number_name_update, phone_number_quality_update, business_username_updates).
 */
import { readLabel, readName, readTime } from "../webhooks/fields.ts";
import type { NumberEvent } from "../webhooks/provider_event.ts";

type Fact = Pick<NumberEvent, "fact" | "value" | "reason"> & {
  readonly status: string | undefined;
};

function readFact(field: string, value: unknown): Fact | undefined {
  switch (field) {
    case "phone_number_name_update": {
      const reason = readLabel(value, "rejection_reason");
      return {
        fact: "name",
        value: readName(value, "requested_verified_name"),
        status: readLabel(value, "decision"),
        reason: reason === "NONE" ? undefined : reason,
      };
    }
    case "business_username_updates":
    case "business_username_update":
      return {
        fact: "username",
        value: readName(value, "username"),
        status: readLabel(value, "status"),
      };
    case "phone_number_quality_update": {
      const status = readLabel(value, "event");
      const isOfQuality = status === "FLAGGED" || status === "UNFLAGGED";
      return isOfQuality ? { fact: "quality", status } : undefined;
    }
    default:
      return undefined;
  }
}

/** Reads a notice of the number's name, quality or username; undefined for any other. */
export function readNumberEvent(
  field: string,
  value: unknown,
  entry: unknown,
): NumberEvent | undefined {
  const fact = readFact(field, value);
  const { status } = fact ?? {};
  if (fact === undefined || status === undefined) return undefined;
  return {
    kind: "number",
    phone: readLabel(value, "display_phone_number"),
    ...fact,
    status,
    at: readTime(entry, "s", "time") ?? readTime(entry, "ms", "time"),
  };
}
