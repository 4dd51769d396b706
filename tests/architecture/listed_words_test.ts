/** A list of words stands once in TypeScript; where SQL restricts a column to them, it has the same. */

import { acceptKinds } from "../../shared/model/ask.ts";
import { paymentStatuses } from "../../shared/model/payment_status.ts";
import { questionStatuses, reminderStatuses } from "../../shared/model/question_record.ts";
import { mcpRecipients } from "../../shared/model/tenant_records.ts";
import { batchStatuses, batchValidations, pauseReasons } from "../../shared/model/batch_states.ts";
import { connectionLanguages, webhookStates } from "../../shared/model/connection.ts";
import { consentStates } from "../../shared/model/contact_record.ts";
import { conversationStatuses } from "../../shared/model/conversation_status.ts";
import { awaitedParties } from "../../shared/model/idle.ts";
import { deliveryStatuses, disabledReasons } from "../../shared/model/endpoint_states.ts";
import { erasureStatuses } from "../../shared/model/erasure_record.ts";
import { eventTypes, isEventType } from "../../shared/model/event_types.ts";
import { parameterFormats } from "../../shared/model/filled_template.ts";
import { onUnconfirmedModes } from "../../shared/model/instance_settings.ts";
import { mediaStatuses } from "../../shared/model/media_status.ts";
import { interactiveRenderings } from "../../shared/model/message_fit.ts";
import {
  holdReasons,
  instanceHolds,
  messageStatuses,
  reportedStatuses,
  sendingModes,
} from "../../shared/model/message_status.ts";
import { numberFacts } from "../../shared/model/number_facts.ts";
import { outboxKinds, outboxStatuses } from "../../shared/model/outbox_kinds.ts";
import { peopleScopePhases, peopleScopes } from "../../shared/model/people_scope.ts";
import { providerKinds } from "../../shared/model/provider_kind.ts";
import { readReceiptModes } from "../../shared/model/read_receipts.ts";
import { answeredMeanings, refusalMeanings } from "../../shared/model/refusal_meaning.ts";
import { transcribeVoiceModes } from "../../shared/model/transcribe_voice.ts";
import { usageGroupings } from "../../shared/http/usage_query.ts";
import { mediaKinds } from "../../shared/media/media_rules.ts";
import { conversationHolders } from "../../shared/model/control.ts";
import { assertEquals } from "../support/assert.ts";
import { readText, readTextFiles } from "./repository.ts";

/** The list of each constraint; null for words that only SQL reads. */
const lists: Readonly<Record<string, readonly string[] | null>> = {
  batch_recipients_status_known: null,
  batches_pause_reason_known: pauseReasons,
  batches_status_known: batchStatuses,
  batches_validation_known: batchValidations,
  budget_alerts_kind_known: null,
  client_tokens_mcp_recipients_known: mcpRecipients,
  connection_links_language_known: connectionLanguages,
  consent_log_marketing_known: consentStates,
  contacts_consent_known: consentStates,
  conversations_handled_by_known: conversationHolders,
  conversations_status_known: conversationStatuses,
  idle_watches_awaiting_known: awaitedParties,
  dispatch_connection_known: null,
  dispatch_webhooks_known: webhookStates,
  erasures_status_known: erasureStatuses,
  event_deliveries_status_known: deliveryStatuses,
  event_endpoints_disabled_reason_known: disabledReasons,
  instances_interactive_rendering_known: interactiveRenderings,
  instances_on_unconfirmed_known: onUnconfirmedModes,
  instances_people_scope_known: peopleScopes,
  instances_provider_known: providerKinds,
  instances_read_receipts_known: readReceiptModes,
  instances_transcribe_voice_known: transcribeVoiceModes,
  media_kind_known: mediaKinds,
  media_origin_known: null,
  media_status_known: mediaStatuses,
  message_templates_format_known: parameterFormats,
  number_facts_known: numberFacts,
  outbox_kind_known: outboxKinds,
  outbox_status_known: outboxStatuses,
  payments_status_known: paymentStatuses,
  people_scope_changes_phase_known: peopleScopePhases,
  person_words_marketing_known: consentStates,
  questions_accept_known: acceptKinds,
  questions_reminder_known: reminderStatuses,
  questions_status_known: questionStatuses,
  unmatched_statuses_status_known: reportedStatuses,
  // Sums of days make those of months.
  usage_grouping: usageGroupings.filter((grouping) => grouping !== "month"),
  workspaces_people_scope_known: peopleScopes,
};

/** The words of each constraint that restricts a column to some, by the constraint's name. */
function readConstraints(sql: string): [string, string[]][] {
  const text = sql.replace(/--[^\n]*/g, "");
  return Array.from(
    text.matchAll(/constraint (\w+)\s+check \(\s*\w+ in \(([^)]*)\)\s*\)/g),
    ([, name = "", words = ""]) => [name, readWords(words).sort()],
  );
}

function readWords(sql: string): string[] {
  return Array.from(sql.matchAll(/'([^']*)'/g), ([, word = ""]) => word);
}

/** What of the constraints differs from the lists: a name that has none, or other words. */
function findDifferences(
  constraints: readonly (readonly [string, readonly string[]])[],
  known: typeof lists,
): string[] {
  const names = new Set(constraints.map(([name]) => name));
  return [
    ...constraints.flatMap(([name, words]) => {
      const list = known[name];
      if (list === undefined) return [`${name}: has no list`];
      const isSame = list === null || words.join() === [...list].sort().join();
      return isSame
        ? []
        : [`${name}: ${words.join()} in SQL, ${[...list].sort().join()} in TypeScript`];
    }),
    ...Object.keys(known).filter((name) => !names.has(name)).map((name) => `${name}: is gone`),
  ];
}

Deno.test("each CHECK of SQL that lists words has the words of its list in TypeScript", async () => {
  const files = await readTextFiles("supabase/schemas");
  const constraints = files.flatMap(({ text }) => readConstraints(text));
  assertEquals(findDifferences(constraints, lists), []);
});

Deno.test("other words, a constraint without a list and a list without a constraint are found", () => {
  const constraints = readConstraints(`
  constraint a_known check (kind in ('one', 'two')),
  constraint b_known
    check (
      kind in (
        'one', -- 'three'
        'two'
      )
    ),
  constraint c_known check (kind in ('one'))`);
  assertEquals(findDifferences(constraints, { a_known: ["two", "one"], b_known: ["one"], d: [] }), [
    "b_known: one,two in SQL, one in TypeScript",
    "c_known: has no list",
    "d: is gone",
  ]);
});

/** The words that `is_message_state` takes of each column. One function checks them: see its head. */
function readStateWords(sql: string): Record<string, string[]> {
  return Object.fromEntries(Array.from(
    sql.matchAll(/if (\w+) not in \(([^)]*)\)/g),
    ([, name = "", words = ""]) => [name, readWords(words).sort()],
  ));
}

Deno.test("a stored message has the states, modes and reasons of the lists in TypeScript", async () => {
  const files = await readTextFiles("supabase/schemas/messages");
  const rule = files.find(({ path }) => path.endsWith("/is_message_state.sql"));
  const taken = readStateWords(rule?.text ?? "");
  const readElsewhere = [...instanceHolds, "batch_paused"];
  assertEquals(taken, {
    status: [...messageStatuses].sort(),
    mode: [...sendingModes].sort(),
    // The hold of an instance is read from the instance, the pause of a batch from the batch.
    held_by: holdReasons.filter((reason) => !readElsewhere.includes(reason)).sort(),
  });
});

/** Whether a type is written as one word, or made of its prefix and another word. */
function isWritten(type: string, words: ReadonlySet<string>): boolean {
  const [subject = "", change = ""] = type.split(".");
  return words.has(type) || words.has(`${subject}.`) && words.has(change);
}

Deno.test("SQL writes each hold of an instance and each type of event, and no unknown type", async () => {
  const files = await readTextFiles("supabase/schemas");
  const words = new Set(files.flatMap(({ text }) => readWords(text.replace(/--[^\n]*/g, ""))));
  assertEquals(instanceHolds.filter((hold) => !words.has(hold)), []);
  assertEquals(eventTypes.filter((type) => !isWritten(type, words)), []);
  const subjects = new Set(eventTypes.map((type) => type.split(".")[0]));
  const unknown = [...words].filter((word) =>
    /^[a-z]+\.[a-z_]+$/.test(word) && subjects.has(word.split(".")[0]) && !isEventType(word)
  );
  assertEquals(unknown, []);
});

/** Pages that name every word of a list: in a row of a table of its own, or in a sentence. */
const pages: readonly (readonly [path: string, words: readonly string[], place: "row" | "text"])[] =
  [
    ["docs/batches.md", pauseReasons, "row"],
    ["docs/errors.md", refusalMeanings, "row"],
    ["docs/events.md", eventTypes, "text"],
    ["docs/events.md", pauseReasons, "text"],
    ["docs/operations.md", holdReasons, "text"],
  ];

Deno.test("the pages that explain a list name each word of it", async () => {
  for (const [path, words, place] of pages) {
    const text = await readText(path);
    const isNamed = (word: string): boolean =>
      text.includes(place === "row" ? `\n| \`${word}\`` : `\`${word}\``);
    assertEquals(words.filter((word) => !isNamed(word)), [], path);
  }
});

Deno.test("a provider tells each meaning of a refusal, and SQL or the answer acts by it", async () => {
  const providers = await readTextFiles("shared/providers");
  const told = providers.map(({ text }) => text).join("\n");
  assertEquals(refusalMeanings.filter((meaning) => !told.includes(`"${meaning}"`)), []);
  const schemas = await readTextFiles("supabase/schemas");
  const acted = new Set(schemas.flatMap(({ text }) => readWords(text.replace(/--[^\n]*/g, ""))));
  const answered: readonly string[] = answeredMeanings;
  assertEquals(
    refusalMeanings.filter((meaning) => !acted.has(meaning) && !answered.includes(meaning)),
    [],
  );
});
