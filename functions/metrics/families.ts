/** A metric of the exposition: its type and its HELP text. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
}

const gauge = (name: string, help: string): MetricFamily => ({ name, type: "gauge", help });
const counter = (name: string, help: string): MetricFamily => ({ name, type: "counter", help });

const settledNote = "Counted when a snapshot is taken, so an hour without any scrape leaves a gap.";
const instanceNote =
  "One series each for the hundred instances that need attention most; all others together are `other`.";

/**
 * Every metric, in the order of the exposition. `read_metrics` computes the samples. A test holds
 * both to each other.
 */
export const metricFamilies: readonly MetricFamily[] = [
  gauge("messaging_instances", "Instances by provider and status (ok, late, held, disconnected)."),
  gauge(
    "messaging_queue_messages",
    "Messages in the queue: waiting (due or not), and in flight to the provider.",
  ),
  gauge("messaging_unconfirmed_messages", "Messages whose outcome is unknown at present."),
  gauge(
    "messaging_oldest_due_seconds",
    "Age of the oldest message or outbox row that should have left by now; 0 when none is due.",
  ),
  gauge("messaging_instance_queue_messages", `Waiting messages of an instance. ${instanceNote}`),
  gauge(
    "messaging_instance_unconfirmed_messages",
    `Messages of an instance whose outcome is unknown at present. ${instanceNote}`,
  ),
  gauge(
    "messaging_instance_oldest_due_seconds",
    `Age of the oldest due message of an instance, of the oldest one for \`other\`. ${instanceNote}`,
  ),
  gauge(
    "messaging_instance_held",
    `1 while the provider rejects the whole instance, or this service holds it (suspect, database_promoted), else 0; a count for \`other\`. ${instanceNote}`,
  ),
  gauge(
    "messaging_instance_operator_hold",
    `1 while an operator holds the instance's queue, else 0; a count for \`other\`. ${instanceNote}`,
  ),
  gauge(
    "messaging_instance_disconnected",
    `1 while the instance has lost its connection to the channel, else 0; a count for \`other\`. ${instanceNote}`,
  ),
  gauge(
    "messaging_recent_messages",
    "State of the newest 20 messages that each instance has sent in the last hour. A sample, not a total.",
  ),
  gauge("messaging_outbox_rows", "Outbox rows that are pending, or dead (kept for 90 days)."),
  counter(
    "messaging_messages_sent_total",
    `Messages that the provider accepted, at their first acceptance. ${settledNote}`,
  ),
  counter("messaging_messages_failed_total", `Messages that failed for good. ${settledNote}`),
  counter(
    "messaging_messages_unconfirmed_total",
    `Messages whose outcome became unknown; later events may have settled them. ${settledNote}`,
  ),
  {
    name: "messaging_dispatch_lateness_seconds",
    type: "histogram",
    help:
      `Seconds between the slot of a queued or delayed message and its acceptance by the provider, holds included, for messages that left at the first attempt. ${settledNote}`,
  },
  counter(
    "messaging_outbox_settled_total",
    `Outbox rows that were done, or given up (dead). ${settledNote}`,
  ),
  counter(
    "messaging_estimated_cost_total",
    "What the official channel's deliveries have cost by the workspaces' rates, by currency and category. A correction downwards shows once later deliveries have made up for it.",
  ),
  counter(
    "messaging_delivered_messages_total",
    "Messages that the official channel has delivered, by category and billing: charged (a rate is known), free, or unknown (without a rate).",
  ),
  counter(
    "messaging_queue_entries_total",
    "Entries made in the queue: each accepted message, and each retry by a person. A call that was rolled back counts too.",
  ),
  counter(
    "messaging_provider_events_total",
    "Deliveries of providers' webhooks that were stored. One that was rolled back counts too.",
  ),
  counter(
    "messaging_unknown_webhook_fields_total",
    "Names in providers' webhooks that no reader knows, by provider and name; beyond a hundred of a provider, `other`.",
  ),
  counter(
    "messaging_deprecated_calls_total",
    "Calls of what is to go, by its name and the token's id; beyond a hundred pairs the token is `other`.",
  ),
  counter("messaging_claim_expiries_total", "Messages whose worker died before it settled them."),
  counter("messaging_maintenance_runs_total", "Maintenance runs of dispatchers, each 5 seconds."),
  gauge(
    "messaging_last_maintenance_timestamp_seconds",
    "Unix time of a dispatcher's last maintenance run: it stands still when no dispatcher runs.",
  ),
  counter(
    "messaging_process_load_events_total",
    "Requests and connections that one process has refused, ended or lost, by event. Each process counts for itself since its start, and tells its own alone: `process` names it.",
  ),
  counter(
    "messaging_process_reads_total",
    "Reads of one process that a standby may answer, by who has answered: the standby, or the primary for the reason that `answer` names. Without DATABASE_READ_URL none is counted.",
  ),
  gauge("messaging_database_bytes", "Size of the database."),
  gauge(
    "messaging_table_dead_rows",
    "Dead rows of the tables that are written most, as Postgres counts them.",
  ),
  gauge("messaging_table_bytes", "Size of these tables with their indexes."),
  gauge(
    "messaging_oldest_transaction_seconds",
    "How long the oldest transaction of any other session of the server is open; 0 without one. Absent where the owner of the tables may not see other roles' sessions.",
  ),
  gauge(
    "messaging_oldest_snapshot_seconds",
    "The same of the oldest transaction that keeps VACUUM from removing dead rows: it holds a snapshot, or has written.",
  ),
  gauge(
    "messaging_vacuum_held_transactions",
    "How many transactions have begun since what the oldest of its kind may still see: session, prepared_transaction or replication_slot. VACUUM removes no row that died since.",
  ),
  gauge(
    "messaging_replication_slot_lag_bytes",
    "Log that Postgres keeps for the replication slot that is furthest behind; 0 without one.",
  ),
  gauge("messaging_snapshot_age_seconds", "Age of these numbers: 15 seconds at most."),
  gauge("messaging_snapshot_duration_seconds", "How long the database took to compute them."),
];
