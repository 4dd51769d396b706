/** What the database does for the product's calls, as SQL for a backend by itself (single_backend.ts). */

import { messageText } from "./product_calls.ts";
import { restingContacts, restingTokenHash } from "./resting_cluster.ts";
import { measureSpending, type RestingDatabase, type SpendingUnit } from "./single_backend.ts";

/** A call, made in a loop whose counter is `n`. Each statement that ends with a commit is a transaction. */
export interface DatabaseOperation {
  readonly what: string;
  /** Variables of the block beside `accepted`, `calls`, `run` and `instance_id`. */
  readonly declaration?: string;
  /** Runs once, before the calls; `calls` is how many follow. */
  readonly before?: string;
  readonly call: string;
  /** Parts of `call` that are not meant: what they cost is subtracted. */
  readonly without?: DatabaseOperation;
}

/** Calls of the two runs whose difference counts. CPU time is coarser, and takes more of them. */
const callsOf: Readonly<Record<SpendingUnit, readonly [few: number, many: number]>> = {
  "instructions": [30, 80],
  "ms of CPU": [500, 4_500],
};

/** What one call costs the backend, without the start and the cold caches. */
export async function measureOperation(
  database: RestingDatabase,
  operation: DatabaseOperation,
  unit: SpendingUnit,
): Promise<number> {
  const { without } = operation;
  const [few, many] = callsOf[unit];
  const runs = [];
  for (const calls of [few, many]) {
    runs.push(await measureSpending(database, composeBlock(operation, calls), unit));
  }
  const spent = ((runs[1] ?? 0) - (runs[0] ?? 0)) / (many - few);
  return without === undefined ? spent : spent - await measureOperation(database, without, unit);
}

/** One line, as single-user mode reads it. */
function composeBlock(
  { declaration = "", before = "", call }: DatabaseOperation,
  calls: number,
): string {
  return `do $$ declare
    accepted jsonb;
    calls integer := ${calls};
    run text := gen_random_uuid();
    instance_id uuid := (select i.id from messaging.instances i limit 1);
    ${declaration}
  begin
    ${before}
    for n in 1..calls loop ${call} end loop;
  end $$`.replaceAll(/\s+/g, " ");
}

const phone = `(5521990000001 + n % ${restingContacts})::text`;
const message = `jsonb_build_object('messageType', 'text', 'message', '${messageText}')`;

/** A client that the process knows: see shared/http/sending_guard.ts. */
const known = {
  declaration: "version text := (select i.xmin::text from messaging.instances i limit 1);",
  member: `'authentication', jsonb_build_object(
    'tokenHash', '${restingTokenHash}', 'functionName', 'send-message', 'instanceVersion', version
  )`,
};

const immediate = `'queued', false, 'delaySeconds', 0, 'intervalSeconds', 30, 'leaseSeconds', 35`;
const queued = `'queued', true, 'delaySeconds', 0, 'intervalSeconds', 30, 'leaseSeconds', 35`;
const deferred = `'queued', false, 'isDeferred', true, 'delaySeconds', 0, 'intervalSeconds', null,
  'leaseSeconds', 0`;

function accept(delivery: string, member: string): string {
  return `accepted := public.accept_message(jsonb_build_object(
    'instanceId', instance_id, 'phone', ${phone}, 'idempotency', null, 'assignment', null,
    'message', ${message}, 'delivery', jsonb_build_object(${delivery}), ${member}
  )); commit;`;
}

const settle = `perform public.settle_messages(jsonb_build_object(
    'results', jsonb_build_array(jsonb_build_object(
      'messageId', accepted->'messageId', 'claimToken', accepted->'claimToken',
      'outcome', 'accepted', 'providerMessageId', 'wamid.' || (accepted->>'messageId')
    )), 'idempotency', null, 'response', null
  )); commit;`;

/** An immediate send of a client that the process knows. */
export const immediateSend: DatabaseOperation = {
  what: "an immediate send",
  declaration: known.declaration,
  call: accept(immediate, known.member) + settle,
};

/** The same before clients were remembered: authentication was a call of its own. */
export const formerImmediateSend: DatabaseOperation = {
  what: "an immediate send",
  call: `perform public.authenticate_client(jsonb_build_object(
    'tokenHash', '${restingTokenHash}', 'functionName', 'send-message'
  )); commit; ${accept(immediate, "'agent', null")}${settle}`,
};

const queuedAccept: DatabaseOperation = {
  what: "a queued accept",
  declaration: known.declaration,
  call: accept(queued, known.member),
};

const deferredAccept: DatabaseOperation = {
  what: "an accept for the dispatcher",
  call: accept(deferred, "'agent', null"),
};

const claimWithSettlement: DatabaseOperation = {
  what: "a claim with its settlement",
  call: `${deferredAccept.call}
    accepted := public.claim_due_messages(
      '{"maxMessages": 1, "leaseSeconds": 35}'::jsonb
    )->'messages'->0; commit; ${settle}`,
  without: deferredAccept,
};

function record(event: string): string {
  return `perform public.record_provider_events(jsonb_build_object(
    'instanceId', instance_id, 'sealedProviderConfig', repeat('s', 200), 'payload', '{"a": 1}',
    'events', jsonb_build_array(${event})
  )); commit;`;
}

/** An id that no other run of the block has. */
const ownId = "run || n";

function inboundText(id: string): string {
  return record(`jsonb_build_object(
    'kind', 'message', 'origin', 'inbound', 'providerMessageId', ${id}, 'address', ${phone},
    'otherAddresses', '[]'::jsonb, 'isGroup', false, 'messageType', 'text',
    'message', '${messageText}', 'at', clock_timestamp()
  )`);
}

/** A text that a known contact writes. */
export const inboundMessage: DatabaseOperation = {
  what: "an inbound text",
  call: inboundText(ownId),
};

/** The same text again, as channels deliver what was not answered in time. */
export const inboundAgain: DatabaseOperation = {
  what: "an inbound text that is told again",
  call: inboundText(ownId) + inboundText(ownId),
  without: inboundMessage,
};

function status(name: string): string {
  return record(`jsonb_build_object(
    'kind', 'status', 'providerMessageId', 'wamid.' || (accepted->>'messageId'),
    'status', '${name}', 'at', clock_timestamp()
  )`);
}

const deliveryEvent: DatabaseOperation = {
  what: "a delivery event",
  declaration: known.declaration,
  call: immediateSend.call + status("delivered"),
  without: immediateSend,
};

const batchStep: DatabaseOperation = {
  what: "a recipient of a batch, stored, fed, claimed and settled",
  before: `accepted := public.create_batch(jsonb_build_object(
    'instanceId', instance_id, 'name', null, 'purpose', null, 'validation', 'strict',
    'intervalSeconds', 0, 'startAt', null, 'expiresAt', null, 'idempotency', null,
    'source', jsonb_build_object('message', ${message}), 'errors', '[]'::jsonb,
    'entries', (select jsonb_agg(jsonb_build_object('phone', ${phone}, 'draft', ${message}))
      from generate_series(1, calls) as n)
  )); commit;
  perform public.change_batch(jsonb_build_object(
    'instanceId', instance_id, 'action', 'start', 'idempotency', null,
    'batchId', coalesce(accepted->'result', accepted)->'batchId'
  )); commit;`,
  call: `accepted := public.claim_due_messages(
      '{"maxMessages": 1, "leaseSeconds": 35}'::jsonb
    )->'messages'->0; commit; ${settle}`,
};

/** The calls that a release is compared by. */
export const releaseOperations: readonly DatabaseOperation[] = [
  immediateSend,
  queuedAccept,
  claimWithSettlement,
  batchStep,
  inboundMessage,
  inboundAgain,
  deliveryEvent,
];
