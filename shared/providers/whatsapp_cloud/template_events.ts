/**
 * What Meta tells of a template in Cloud API webhooks (pages Webhooks: message_template_status_update,
 * _quality_update, _components_update, template_category_update).
 */
import {
  readEnd,
  readLabel,
  readList,
  readMessage,
  readNumericId,
  readTime,
} from "../webhooks/fields.ts";
import { readValue } from "../../model/json_value.ts";
import type {
  TemplateStatusEvent,
  TemplateWarningEvent,
  TemplateWording,
} from "../webhooks/provider_event.ts";

/** Events without a status of their own. After each, the template may be sent again. */
const restorations = new Set(["REINSTATED", "UNARCHIVED"]);

/**
 * Events that do not stop a template from being sent: at risk of being disabled, or locked for
 * edits.
 */
const harmless = new Set(["FLAGGED", "LOCKED", "UNLOCKED"]);

const dayMs = 24 * 60 * 60 * 1000;

/** The fields whose notices name a template. */
export const templateFields: ReadonlySet<string> = new Set([
  ...["message_template_status_update", "message_template_quality_update"],
  ...["message_template_components_update", "template_category_update"],
]);

/**
 * Reads a notice of one template. Undefined for one that changes nothing of what is known of it, and for a
 * malformed one. `entry` holds the notice's time.
 */
export function readCloudTemplateEvent(
  field: string,
  value: unknown,
  entry: unknown,
): TemplateStatusEvent | TemplateWarningEvent | undefined {
  const providerTemplateId = readNumericId(value, "message_template_id");
  if (providerTemplateId === undefined) return undefined;
  if (field === "template_category_update") return readCategory(providerTemplateId, value, entry);
  const changes = readChanges(field, value);
  const told = Object.entries(changes).filter(([, change]) => change !== undefined);
  if (told.length === 0) return undefined;
  return { kind: "template_status", providerTemplateId, ...Object.fromEntries(told) };
}

type Changes = Omit<TemplateStatusEvent, "kind" | "providerTemplateId">;

function readChanges(field: string, value: unknown): Changes {
  switch (field) {
    case "message_template_status_update":
      return readStatus(value);
    case "message_template_quality_update":
      return { quality: readLabel(value, "new_quality_score") };
    default:
      return { wording: readWording(value) };
  }
}

/** A template at risk (`FLAGGED`) keeps its status, and may have a date on which it is disabled. */
function readStatus(value: unknown): Changes {
  const word = readLabel(value, "event");
  const reason = readLabel(value, "reason");
  const date = readValue(value, "disable_info", "disable_date");
  return {
    status: word === undefined || harmless.has(word)
      ? undefined
      : restorations.has(word)
      ? "APPROVED"
      : word,
    reason: reason === "NONE" ? undefined : reason,
    disablesAt: date === undefined || date === null ? undefined : readEnd(date),
  };
}

/** With `correct_category` it is announced: `new_category` is the present one. Else it has happened. */
function readCategory(
  providerTemplateId: string,
  value: unknown,
  entry: unknown,
): TemplateStatusEvent | TemplateWarningEvent | undefined {
  const category = readLabel(value, "new_category")?.toUpperCase();
  const correct = readLabel(value, "correct_category")?.toUpperCase();
  if (category === undefined) return undefined;
  if (correct === undefined) return { kind: "template_status", providerTemplateId, category };
  const toldAt = readTime(entry, "s", "time") ?? readTime(entry, "ms", "time");
  const startMs = toldAt === undefined ? Date.now() : Date.parse(toldAt);
  const at = readEnd(readValue(value, "category_update_timestamp")) ??
    new Date(startMs + dayMs).toISOString();
  return { kind: "template_warning", providerTemplateId, from: category, to: correct, at };
}

function readWording(value: unknown): TemplateWording | undefined {
  const body = readMessage(value, "message_template_element");
  if (body === undefined) return undefined;
  const buttons = readList(value, "message_template_buttons").map((button) => ({
    type: readLabel(button, "message_template_button_type"),
    text: readMessage(button, "message_template_button_text"),
    url: readMessage(button, "message_template_button_url"),
    phone_number: readLabel(button, "message_template_button_phone_number"),
  }));
  return {
    body,
    title: readMessage(value, "message_template_title"),
    footer: readMessage(value, "message_template_footer"),
    buttons: buttons.length === 0 ? undefined : buttons,
  };
}
