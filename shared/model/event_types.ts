import { cutText } from "./cut_text.ts";

/** Every type of event that the feed and the webhooks tell, in the order of the documentation. */
export const eventTypes = [
  ...["message.received", "message.sent", "message.delivered", "message.read"] as const,
  ...["message.failed", "message.unconfirmed", "message.canceled", "message.expired"] as const,
  ...["message.edited", "message.deleted", "message.reaction"] as const,
  ...["contact.created", "contact.updated", "contact.merged"] as const,
  ...["contact.identity_changed", "contact.consent_changed", "contact.erased"] as const,
  ...["conversation.assigned", "conversation.status_changed", "conversation.idle"] as const,
  ...["conversation.turn", "conversation.control_changed"] as const,
  ...["agent.paused", "agent.resumed", "agent.needs_person"] as const,
  ...["instance.held", "instance.connected", "instance.disconnected"] as const,
  ...["instance.connection_link_used"] as const,
  ...["instance.limit_changed", "instance.number_changed"] as const,
  ...["template.status_changed", "template.category_warning"] as const,
  ...["batch.paused", "batch.finished"] as const,
  ...["payment.changed"] as const,
  ...["question.answered", "question.expired", "question.canceled"] as const,
  ...["budget.warning", "budget.reached"] as const,
  ...["endpoint.disabled", "endpoint.test"] as const,
] as const;

export type EventType = (typeof eventTypes)[number];

const knownTypes: ReadonlySet<string> = new Set(eventTypes);

/** Most of a wrong type that a message repeats. */
const maxShown = 60;

/** Whether this is a type of event. */
export function isEventType(value: unknown): value is EventType {
  return typeof value === "string" && knownTypes.has(value);
}

/** Says which of these is no type of event, and which types there are. */
export function describeWrongTypes(values: readonly unknown[]): string {
  const wrong = values.filter((value) => !isEventType(value))
    .map((value) =>
      typeof value === "string" ? cutText(value, maxShown).toWellFormed() : typeof value
    );
  return `must be types of events, not ${wrong.join(", ")}; there are ${eventTypes.join(", ")}`;
}
