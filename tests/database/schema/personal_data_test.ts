/**
 * Every table that can hold personal data is named here: erased with its person, or reviewed with the
 * reason why it holds nothing of one. A new table or column that is named in neither fails.
 */

import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  listChangedTables,
  listPersonalTables,
  type PersonalTable,
} from "../../support/database/personal_data.ts";

/** A table that an erasure leaves, or that a merge leaves: its reviewed columns, and why. */
type Reviewed = Readonly<Record<string, { readonly columns: string; readonly why: string }>>;

const operators = "what the company's own people set up, not what is about those it writes to";

/** Not erased. `columns` are all that name a contact or a message, or can hold text. */
const leftByErasure: Reviewed = {
  ai_agents: { columns: "name instructions model", why: operators },
  batches: {
    columns: "name status source purpose validation seed pause_reason pause_error",
    why: `${operators}; an error has the provider's words without the number`,
  },
  budget_alerts: { columns: "kind", why: "what was told of sums" },
  connection_links: { columns: "token_hash language", why: operators },
  client_tokens: { columns: "token_hash label scopes mcp_recipients", why: operators },
  contact_activity: {
    columns: "contact_id merged_into",
    why: "the tombstone: ids and instants, by which calls that name the contact are refused",
  },
  denial_key: { columns: "sealed_key", why: "a sealed key, of no person" },
  departments: { columns: "name", why: operators },
  dispatch: {
    columns:
      "in_flight operator_hold_reason channel_limit channel_change connection disconnected_reason hold_error paired_phone webhooks_state webhooks_url allowance told_held_by",
    why:
      `an id, states of the channel and the word for one, its words without the number, the number of the business's own phone, an address without secrets, and ${operators}`,
  },
  erased_messages: { columns: "id_hash", why: "hashes of random ids" },
  event_endpoints: {
    columns: "url types description disabled_reason sealed_secret sealed_previous_secret",
    why: operators,
  },
  event_replays: { columns: "types", why: operators },
  mcp_sends: { columns: "call_key", why: "a hash of a call's name, kept for two days" },
  instances: {
    columns:
      "name provider provider_class read_receipts sealed_provider_config gateway_instance_id business_instance_id " +
      "embed_key connected_phone connected_phone_key time_zone on_unconfirmed opt_out_keywords " +
      "opt_out_resume_keywords opt_out_confirmation protection budget idle turns transcribe_voice interactive_rendering people_scope",
    why: operators,
  },
  conversation_turns: {
    columns: "contact_id conversation_id",
    why: "open for minutes; an erasure deletes them",
  },
  idle_watches: {
    columns: "awaiting contact_id conversation_id last_message_id",
    why: "an erasure deletes them",
  },
  history_imports: { columns: "error", why: "the channel's code and words, of no person" },
  kept_denials: {
    columns: "identity_hash",
    why: "the keyed hash that remains for whom had denied: erase_contact removes those of others",
  },
  message_templates: {
    columns:
      "name language parameter_format components provider_status provider_template_id category " +
      "quality status_reason category_changes_to",
    why: operators,
  },
  metric_counters: { columns: "name labels", why: "counts" },
  metric_snapshots: { columns: "samples health", why: "counts, by instance" },
  number_facts: {
    columns: "fact value status reason",
    why: "the business's own name, username and quality",
  },
  people_scope_changes: { columns: "phase waits_for", why: "how far a change of scope is" },
  person_updates: {
    columns: "contact_id",
    why: "an id of work to do: a contact that is gone has nothing to be told",
  },
  operators: { columns: "name email", why: operators },
  rate_markets: { columns: "calling_code market", why: operators },
  rate_tables: { columns: "currency", why: operators },
  rates: { columns: "market category", why: operators },
  rate_limits: { columns: "function_name", why: "counts, by token" },
  held_releases: { columns: "reason", why: "words of this service" },
  slot_moves: { columns: "walk", why: "instants of slots" },
  usage: { columns: "grouping key currency", why: "counts, by words of the caller" },
  usage_changes: {
    columns: "currency category pricing_type market message_type sent_by",
    why: "counts, by words of the caller, which are added up within a minute",
  },
  workspaces: { columns: "name alert_email people_scope", why: operators },
};

/** Tables that name a contact or a conversation and that a merge leaves alone. */
const leftByMerge: Readonly<Record<string, string>> = {
  contact_search: "each contact has its own row, which follows the contact by a trigger",
  erasures: "an erasure that is not done goes on with the contact that the person has become",
  person_updates: "a look at a merged contact's person is one at the surviving contact's",
  events: "what was told of a contact stays under its id, and is found by the tombstone",
};

const erasing = ["public.erase_contact", "public.run_erasures"];
const merging = ["messaging.merge_contacts"];

Deno.test("every table that can hold personal data is erased with its person, or reviewed", async () => {
  await using database = await createTestDatabase();
  const tables = await listPersonalTables(database.admin);
  const erased = await listChangedTables(database.admin, erasing, ["delete from", "update"]);
  const forgotten = tables.filter((table) => !isErased(table, erased)).filter(({ name }) =>
    leftByErasure[name] === undefined
  );
  assertEquals(
    forgotten,
    [],
    "erase these (erase_rows or a sweep) or review them in leftByErasure",
  );
});

Deno.test("what an erasure leaves has no column that nobody has reviewed", async () => {
  await using database = await createTestDatabase();
  const tables = await listPersonalTables(database.admin);
  const found = tables.flatMap(({ name, references, texts }) =>
    name in leftByErasure ? [[name, [...references, ...texts].sort().join(" ")]] : []
  );
  const reviewed = Object.entries(leftByErasure).map(([name, { columns }]) => [
    name,
    columns.split(" ").sort().join(" "),
  ]);
  assertEquals(Object.fromEntries(found), Object.fromEntries(reviewed));
});

Deno.test("every table that names a contact or a conversation is moved by a merge, or reviewed", async () => {
  await using database = await createTestDatabase();
  const tables = await listPersonalTables(database.admin);
  const moved = await listChangedTables(database.admin, merging);
  const forgotten = tables.filter(({ name, references }) =>
    references.some((column) => /(contact|conversation)_id$/.test(column)) &&
    !moved.has(name) && leftByMerge[name] === undefined
  );
  assertEquals(forgotten, [], "move these in merge_contacts, or review them in leftByMerge");
});

Deno.test("a new table with a person's words is found, and so is one that names a contact", async () => {
  await using database = await createTestDatabase();
  await database.admin`
    create table messaging.forgotten_words (id uuid primary key, said text[])`;
  await database.admin`
    create table messaging.forgotten_contacts (
      contact_id uuid, sealed messaging.message_snapshot, at timestamptz
    )`;
  const tables = await listPersonalTables(database.admin);
  const erased = await listChangedTables(database.admin, erasing, ["delete from", "update"]);
  assertEquals(
    tables.filter((table) => !isErased(table, erased) && !(table.name in leftByErasure)),
    [
      {
        name: "forgotten_contacts",
        references: ["contact_id"],
        texts: ["sealed"],
        goesWithContact: false,
      },
      { name: "forgotten_words", references: [], texts: ["said"], goesWithContact: false },
    ],
  );
});

function isErased({ name, goesWithContact }: PersonalTable, erased: ReadonlySet<string>): boolean {
  return goesWithContact || erased.has(name);
}
