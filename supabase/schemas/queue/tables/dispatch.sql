-- When an instance's queue is due next, and its one paced message in flight. One row per instance:
-- that is what keeps two paced messages from leaving at once.
-- Each claim and each settlement writes a version of the row, and while any session holds an old snapshot they
-- all stay. So the index begins with the newest one (see dispatch_of), and no index demands one row an instance:
-- Postgres would compare each new version with all former ones. That pacing has one row holds it: both are
-- written together, once.
create table messaging.dispatch (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  next_due_at timestamptz not null default 'infinity',
  in_flight uuid,
  lease_until timestamptz,
  paced_from timestamptz not null default '-infinity',
  hold_until timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  operator_hold_until timestamptz not null default '-infinity',
  operator_held_at timestamptz,
  operator_hold_reason text,
  connection text,
  connection_told_at timestamptz not null default '-infinity',
  disconnected_until timestamptz not null default '-infinity',
  disconnected_at timestamptz,
  disconnected_reason text,
  told_disconnected_at timestamptz,
  suspected_at timestamptz,
  trusted_from timestamptz not null default '-infinity',
  channel_limit text,
  channel_limit_at timestamptz not null default '-infinity',
  feeds_batches boolean not null default false,
  channel_change text,
  departs_at timestamptz,
  messages_per_second integer,
  slowed_until timestamptz not null default '-infinity',
  generation bigint not null default 0,
  hold_error jsonb,
  hold_refused_at timestamptz,
  told_held_at timestamptz,
  connected_at timestamptz,
  paired_phone text,
  wrong_phone_until timestamptz not null default '-infinity',
  webhooks_state text,
  webhooks_url text,
  allowance jsonb,
  new_chats_locked_until timestamptz not null default '-infinity',
  queue_from timestamptz not null default '-infinity',
  told_held_by text,
  constraint dispatch_pkey primary key (instance_id, generation),
  constraint dispatch_connection_known check (connection in ('connected', 'disconnected')),
  constraint dispatch_webhooks_known check (webhooks_state in ('ours', 'elsewhere', 'unknown')),
  constraint dispatch_flight_has_a_lease check ((in_flight is null) = (lease_until is null))
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index dispatch_due on messaging.dispatch (next_due_at) where in_flight is null;
-- Usually empty: whether anything is to be asked after a confirmation.
create index dispatch_suspects on messaging.dispatch (instance_id) where suspected_at is not null;
create index dispatch_leases on messaging.dispatch (lease_until) where in_flight is not null;
alter table messaging.dispatch enable row level security;
comment on column messaging.dispatch.paced_from is
  'When the last paced message left; the next one leaves at least its interval later.';
comment on column messaging.dispatch.departs_at is
  'When the paced message in flight would have left if it was called at its claim: with its typing.';
comment on column messaging.dispatch.messages_per_second is
  'The pace of the instance, see present_pace, so that a due time follows from this row. Its messages are claimed in groups: see claim_instance_group.';
comment on column messaging.dispatch.slowed_until is
  'Until then the pace is half of messages_per_second: the channel has refused a message for its speed.';
comment on column messaging.dispatch.refused_at is
  'When the provider last refused the whole instance for good: see hold_for_refusal.';
comment on column messaging.dispatch.hold_until is
  'Set when the provider refuses the whole instance: nothing paced leaves before.';
comment on column messaging.dispatch.hold_error is
  'The refusal that hold_until follows from, as last_error of messages.';
comment on column messaging.dispatch.hold_refused_at is
  'When that refusal met a message that waits since; NULL where the refused message has failed, and tells it itself.';
comment on column messaging.dispatch.told_held_at is
  'When the workspace''s alert address was last told of a hold by e-mail: see tell_hold.';
comment on column messaging.dispatch.told_held_by is
  'Of which hold that was, in the word of heldBy: another one is told at once.';
comment on column messaging.dispatch.operator_hold_until is
  'Set by an operator: nothing that the dispatcher sends leaves before; infinity until it is released.';
comment on column messaging.dispatch.connection is
  'What the provider said last about the connection; NULL while it has said nothing.';
comment on column messaging.dispatch.connection_told_at is
  'The provider''s own instant of that: what is older comes too late.';
comment on column messaging.dispatch.disconnected_until is
  'While the connection is lost: nothing that the dispatcher sends leaves before; infinity until it is back.';
comment on column messaging.dispatch.connected_at is
  'Since when the connection is there; NULL while it is not, or nothing is known of it.';
comment on column messaging.dispatch.paired_phone is
  'The number that the gateway''s session was last told to be of; NULL while none was told.';
comment on column messaging.dispatch.wrong_phone_until is
  'infinity while paired_phone is another number than the instance''s connectedPhone: see hold_wrong_phone.';
comment on column messaging.dispatch.webhooks_state is
  'Where the provider was last seen to send events; NULL while nobody has asked.';
comment on column messaging.dispatch.webhooks_url is
  'That address without its secrets; NULL where it is not known, or events go nowhere.';
comment on column messaging.dispatch.allowance is
  'What the channel told that the number may do: {throughput, isOnBusinessApp, newChats {used, quota, until}, timeLock {isActive, until, kind}}, each only where it was told; NULL while nothing was. See shown_allowance.';
comment on column messaging.dispatch.new_chats_locked_until is
  'Until then WhatsApp locks new chats, by allowance.timeLock: what a claim finds for a new contact waits, see locks_new_chat.';
comment on column messaging.dispatch.told_disconnected_at is
  'When the workspace''s alert address was last told by e-mail.';
comment on column messaging.dispatch.suspected_at is
  'Since when the instance is held because nothing is confirmed any more: see hold_suspects.';
comment on column messaging.dispatch.trusted_from is
  'What was sent before does not make the instance suspect: it was released since, or has confirmed.';
comment on column messaging.dispatch.channel_change is
  'What the channel said last about the number or its account, at channel_limit_at: it counts once.';
comment on column messaging.dispatch.feeds_batches is
  'Whether a batch of the instance is running: then a settlement gives it its next message.';
comment on column messaging.dispatch.generation is
  'Grows with each settlement of a paced message, under the lock of pacing: the newest version of the row is the last one in its index.';
comment on column messaging.dispatch.queue_from is
  'No paced message that waits has an earlier slot: where a look for the head of the queue begins. Raised and lowered under the lock of pacing; infinity for an empty queue.';
