/** Kinds of the outbox that are e-mails. */
export const emailKinds = [
  ...["assignment_email", "endpoint_disabled_email", "instance_disconnected_email"] as const,
  ...["instance_held_email", "batch_paused_email", "budget_email"] as const,
] as const;

/** Every kind of the outbox. Each kind is claimed separately, so that a slow kind delays no other. */
export const outboxKinds = [
  ...emailKinds,
  ...["agent_reply", "media_fetch", "media_delete", "media_transcription", "read_receipt"] as const,
  "question_notification",
] as const;
export type OutboxKind = (typeof outboxKinds)[number];

export const outboxStatuses = ["pending", "done", "dead"] as const;
export type OutboxStatus = (typeof outboxStatuses)[number];
