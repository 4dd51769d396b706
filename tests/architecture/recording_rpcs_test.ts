import { recordingRpcs } from "../../shared/database/event_announcing.ts";
import { assertEquals } from "../support/assert.ts";
import { readTextFiles } from "./repository.ts";

/**
 * Record an event, but rarely, and are called without pause: what they record waits for the next poll.
 * And the test of an endpoint, whose event no other endpoint takes; a retry, which notes a contact and
 * says nothing of the person that touch_noted_contacts would tell; and the beginning of an edit or a deletion:
 * write_content stores it, and it changes no words yet.
 */
const notAnnounced = [
  ...[
    "begin_endpoint_test",
    "take_rung",
    "claim_due_messages",
    "claim_message_group",
    "expire_claims",
    "hold_suspects",
    "note_server",
    "feed_batches",
    "expire_messages",
    "fold_usage",
    "claim_media_fetches",
    "claim_outbox",
    "settle_media_fetch",
    "settle_outbox",
    "settle_transcription",
    "tell_idle_conversations",
  ],
  "begin_message_change",
  "retry_message",
  "settle_event_deliveries",
];

Deno.test("every function of the database that records events announces them", async () => {
  const callees = new Map<string, Set<string>>();
  const recording = new Set<string>();
  const rpcs = new Set<string>();
  for (const { path, text } of await readTextFiles("supabase/schemas")) {
    if (!path.endsWith(".sql")) continue;
    const code = text.replaceAll(/--.*$/gm, "");
    const [, ...definitions] = code.split("create or replace function ");
    for (const definition of definitions) {
      const [, schema, name = ""] = /^(\w+)\.(\w+)/.exec(definition) ?? [];
      const called = definition.matchAll(/(?:messaging|public)\.(\w+)\s*\(/g);
      callees.set(name, new Set(Array.from(called, ([, callee = ""]) => callee)));
      if (recordsEvents(definition)) recording.add(name);
      if (schema === "public") rpcs.add(name);
    }
  }
  let known = 0;
  while (known < recording.size) {
    known = recording.size;
    for (const [name, called] of callees) {
      if (!called.isDisjointFrom(recording)) recording.add(name);
    }
  }
  const announced = [...recordingRpcs, ...notAnnounced].sort();
  assertEquals([...recording].filter((name) => rpcs.has(name)).sort(), announced);
});

/** By itself, or by a change of messages that is told: see record_message_change. */
function recordsEvents(definition: string): boolean {
  if (/insert into messaging\.events\b/.test(definition)) return true;
  const changes = definition.matchAll(
    /update messaging\.messages m\b\s+set\b(.*?)(?:\bwhere\b|;)/gs,
  );
  return Array.from(changes, ([, changed = ""]) => changed)
    .some((changed) =>
      /\b(?:deleted_at|message) = |\bstatus = (?!'(?:queued|sending)')/.test(changed)
    );
}
