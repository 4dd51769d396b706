-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/is_message_state.sql
-- Whether a message's columns agree: known values, `received` for inbound messages and only for
-- them, an instant for all that was sent or received, a title for a choice.
-- One function for what would be six CHECK constraints: those are parsed again with every statement
-- that writes a message, which took a sixth of the time of queuing one.
create or replace function public.is_message_state(
  direction text,
  status text,
  mode text,
  held_by text,
  sent_at timestamptz,
  choice jsonb
)
returns boolean
language plpgsql
immutable parallel safe
set search_path = ''
as $$
begin
  return direction in ('inbound', 'outbound')
    and case direction
      when 'inbound' then status = 'received'
      else status in
        ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unconfirmed')
    end
    and (mode is null or mode in ('sent', 'queued', 'scheduled'))
    and (held_by is null or held_by in ('interval', 'window', 'holiday', 'delay'))
    and (sent_at is not null or status not in ('sent', 'delivered', 'read', 'received'))
    and (choice is null or coalesce(jsonb_typeof(choice->'title') = 'string', false));
end;
$$;
revoke all on function public.is_message_state(text, text, text, text, timestamptz, jsonb) from public, anon, authenticated;
grant execute on function public.is_message_state(text, text, text, text, timestamptz, jsonb) to service_role;

-- source: supabase/schemas/tables/messages.sql
-- Every message, sent or received, from before its provider is called: nothing is ever lost here.
-- `sending` of a queued message is its claim in message_queue; the status moves here when settled.
create table public.messages (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null,
  conversation_id uuid not null,
  direction text not null,
  message_type text not null,
  message text,
  media_url text,
  media_id text,
  media_filename text,
  option_list jsonb,
  template jsonb,
  card_id text,
  sent_by text,
  operator_id uuid,
  agent_id uuid,
  delay_typing_ms integer,
  mode text,
  interval_seconds integer,
  status text not null,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  attempts smallint not null default 0,
  last_error jsonb,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  canceled_at timestamptz,
  unconfirmed_at timestamptz,
  is_group boolean not null default false,
  chat_name text,
  choice jsonb,
  phone_given text,
  is_known_by_echo boolean not null default false,
  is_typed_on_phone boolean not null default false,
  is_retryable boolean not null default false,
  constraint messages_belong_to_their_conversation
    foreign key (instance_id, contact_id, conversation_id)
    references public.conversations (instance_id, contact_id, id) on delete cascade,
  constraint messages_state check (
    public.is_message_state(direction, status, mode, held_by, sent_at, choice)
  )
);
-- Whole, unsent ones too: a conversation's end takes its messages along by it.
create index messages_history on public.messages (instance_id, contact_id, sent_at desc);
create index messages_provider_id on public.messages (instance_id, provider_message_id)
  where provider_message_id is not null;
create index messages_told on public.messages (instance_id, provider_message_id)
  where is_typed_on_phone or is_known_by_echo;
create unique index messages_inbound_once on public.messages (instance_id, provider_message_id)
  where direction = 'inbound';
create index messages_sent on public.messages (instance_id, sent_at desc)
  where direction = 'outbound' and sent_at is not null and status <> 'failed';
create index messages_gone_wrong
  on public.messages (instance_id, (coalesce(failed_at, unconfirmed_at)) desc)
  where coalesce(failed_at, unconfirmed_at) is not null;
create index messages_unconfirmed on public.messages (instance_id, unconfirmed_at)
  where status = 'unconfirmed';
alter table public.messages enable row level security;
revoke all on table public.messages from public, anon, authenticated;
grant select, insert, update, delete on table public.messages to service_role;
comment on column public.messages.media_id is
  'The provider''s id of a received file, where the file has to be asked for by it.';
comment on column public.messages.choice is
  'The option that an inbound message picked: {id, title}.';
comment on column public.messages.phone_given is
  'The phone as the sending call wrote it, where the contact''s own is spelled otherwise.';
comment on column public.messages.is_known_by_echo is
  'Its provider''s answer was lost: an echo of its words says that it left, and under which id.';
comment on column public.messages.is_retryable is
  'Whether it failed by a refusal that the provider calls temporary: the same Idempotency-Key tries again.';
comment on column public.messages.is_typed_on_phone is
  'A person wrote it on the business''s own phone, as its provider reports. Not told by sent_by, which is any text of the caller''s choice.';
comment on column public.messages.chat_name is 'The name that the provider gives the chat.';

-- source: supabase/schemas/tables/message_queue.sql
-- Messages that still have to leave, and those in flight (with a claim). Settled rows are gone:
-- their story is in messages.
-- Paced rows (due_at is null) are found through their instance's dispatch row, as the head of
-- (instance_id, scheduled_at, position); unpaced ones by due_at, which is the end of the lease
-- while they are claimed. The foreign key is checked at commit: the slot is taken first, and the
-- message is written with it. The claim columns stand in no index, so that a claim is a heap-only update.
create table public.message_queue (
  message_id uuid primary key references public.messages (id) on delete cascade
    deferrable initially deferred,
  instance_id uuid not null,
  position bigint generated always as identity,
  scheduled_at timestamptz not null,
  due_at timestamptz,
  interval_seconds integer not null default 0,
  max_attempts smallint not null default 6,
  attempts smallint not null default 0,
  claim_token uuid,
  lease_until timestamptz,
  echo jsonb,
  constraint message_queue_claim_has_a_lease check ((claim_token is null) = (lease_until is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index message_queue_head on public.message_queue (instance_id, scheduled_at, position)
  where due_at is null;
create index message_queue_due on public.message_queue (due_at) where due_at is not null;
create index message_queue_scheduled on public.message_queue (instance_id, scheduled_at, position)
  where due_at is not null;
alter table public.message_queue enable row level security;
revoke all on table public.message_queue from public, anon, authenticated;
grant select, insert, update, delete on table public.message_queue to service_role;
comment on column public.message_queue.echo is
  'A message event that came while this one was in flight and may be its echo: see claim_own_echo.';
comment on column public.message_queue.max_attempts is
  '1 for an immediate send, which is tried once; 6 for all else: the first try and 5 more.';

-- source: supabase/schemas/tables/pacing.sql
-- The last slot given out per instance: the one row that simultaneous enqueues wait for.
-- Apart from dispatch, so that an enqueue's lock does not hide a due instance from a claim.
create table public.pacing (
  instance_id uuid primary key references public.instances (id) on delete cascade,
  last_slot_at timestamptz not null default '-infinity'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
alter table public.pacing enable row level security;
revoke all on table public.pacing from public, anon, authenticated;
grant select, insert, update, delete on table public.pacing to service_role;

-- source: supabase/schemas/tables/dispatch.sql
-- When an instance's queue is due next, and the one paced message it has in flight: being one row
-- per instance, it is what keeps two from leaving at once.
create table public.dispatch (
  instance_id uuid primary key references public.instances (id) on delete cascade,
  next_due_at timestamptz not null default 'infinity',
  in_flight uuid,
  lease_until timestamptz,
  paced_from timestamptz not null default '-infinity',
  hold_until timestamptz not null default '-infinity',
  refused_at timestamptz not null default '-infinity',
  constraint dispatch_flight_has_a_lease check ((in_flight is null) = (lease_until is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index dispatch_due on public.dispatch (next_due_at) where in_flight is null;
create index dispatch_leases on public.dispatch (lease_until) where in_flight is not null;
alter table public.dispatch enable row level security;
revoke all on table public.dispatch from public, anon, authenticated;
grant select, insert, update, delete on table public.dispatch to service_role;
comment on column public.dispatch.paced_from is
  'When the last paced message left; the next one leaves at least its interval later.';
comment on column public.dispatch.refused_at is
  'When the provider last refused the whole instance for good: see hold_for_refusal.';
comment on column public.dispatch.hold_until is
  'Set when the provider refuses the whole instance: nothing paced leaves before.';

-- source: supabase/schemas/tables/slot_moves.sql
-- Stretches of an instance's paced queue whose slots a changed send window still has to move: see
-- plan_slot_moves. The last place is moved first.
create table public.slot_moves (
  instance_id uuid not null references public.instances (id) on delete cascade,
  place integer not null,
  from_at timestamptz not null,
  from_position bigint not null,
  until_at timestamptz not null,
  until_position bigint not null,
  left_at timestamptz,
  planned_at timestamptz not null,
  constraint slot_moves_pkey primary key (instance_id, place)
);
alter table public.slot_moves enable row level security;
revoke all on table public.slot_moves from public, anon, authenticated;
grant select, insert, update, delete on table public.slot_moves to service_role;
comment on column public.slot_moves.until_at is
  'With until_position the first row after the stretch, by its slot as it was planned.';
comment on column public.slot_moves.left_at is
  'When the message before the stretch will have left; NULL where nothing before it moves.';

-- source: supabase/schemas/tables/provider_events.sql
-- What providers told us, as received: the evidence behind every status, and the place of what
-- nobody understands yet.
create table public.provider_events (
  id bigint generated always as identity primary key,
  instance_id uuid not null references public.instances (id) on delete cascade,
  payload text not null,
  received_at timestamptz not null default now()
);
create index provider_events_age on public.provider_events (received_at);
create index provider_events_instance on public.provider_events (instance_id);
alter table public.provider_events enable row level security;
revoke all on table public.provider_events from public, anon, authenticated;
grant select, insert, update, delete on table public.provider_events to service_role;
comment on column public.provider_events.payload is
  'The body as text: whatever was signed and sent can be kept, however it is nested or escaped.';

-- source: supabase/schemas/tables/early_statuses.sql
-- Delivery events that came before the message they speak of was known by its provider id: our own
-- send had not been recorded yet. Taken up when it is.
create table public.early_statuses (
  instance_id uuid not null references public.instances (id) on delete cascade,
  provider_message_id text not null,
  status text not null,
  occurred_at timestamptz not null,
  error jsonb,
  received_at timestamptz not null default now(),
  primary key (instance_id, provider_message_id, status),
  constraint early_statuses_status_known
    check (status in ('sent', 'delivered', 'read', 'failed'))
);
create index early_statuses_age on public.early_statuses (received_at);
alter table public.early_statuses enable row level security;
revoke all on table public.early_statuses from public, anon, authenticated;
grant select, insert, update, delete on table public.early_statuses to service_role;

-- source: supabase/schemas/functions/describe_kept_outcome.sql
-- What a call under a known `Idempotency-Key` is answered with (decisions, section 5).
-- Returns {outcome, response, message, messageId, isAttemptDue}:
--   response is the first answer where it still stands, else NULL;
--   message is the message as it stands (see describe_message, and isRetryable) where the first answer
--     does not stand any more, else NULL;
--   isAttemptDue says that the immediate send was refused for now and may be tried again: see
--     attempt_again.
-- A successful first answer stands, but not that of a message canceled since. A refusal and an unknown
-- outcome stand until the message is attempted again or settled otherwise. Writes nothing.
-- Errors: MI007 (a call to the provider is under way, whose answer is not known yet).
create or replace function public.describe_kept_outcome(known public.idempotency_keys)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  message public.messages;
  queued public.message_queue;
  is_immediate constant boolean := known.outcome->>'mode' = 'sent';
  status constant integer := (known.response->>'status')::integer;
  stands boolean;
begin
  select m.* into message from public.messages m where m.id = known.message_id;
  select q.* into queued from public.message_queue q where q.message_id = known.message_id;
  stands := case
    when message.id is null or status = 200 then true
    when not is_immediate then message.status <> 'canceled'
    when status is null or queued.message_id is not null or known.attempt <> message.attempts then false
    when message.status = 'failed' then status <> 504 and not message.is_retryable
    else message.status = 'unconfirmed' and status = 504
  end;
  -- In flight means a live claim; after its lease nobody works on the message any more.
  if not stands and queued.lease_until > clock_timestamp() then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  return jsonb_build_object(
    'outcome', known.outcome,
    'response', case when stands then known.response end,
    'messageId', known.message_id,
    'message', case when not stands then
      public.describe_message(message) || jsonb_build_object('isRetryable', message.is_retryable)
    end,
    'isAttemptDue', not stands and is_immediate and message.status = 'failed'
      and message.is_retryable and queued.message_id is null
  );
end;
$$;
revoke all on function public.describe_kept_outcome(public.idempotency_keys) from public, anon, authenticated;
grant execute on function public.describe_kept_outcome(public.idempotency_keys) to service_role;

-- source: supabase/schemas/functions/begin_idempotent.sql
-- Takes an `Idempotency-Key` for the caller's transaction (decisions, section 5).
-- `idempotency`: scope, key, fingerprint; NULL means that the call has no key.
-- Returns NULL when the caller is the first and must execute; else what the first call decided and what
-- has become of it: see describe_kept_outcome. A simultaneous call with the same key waits here for the
-- first one's commit: the key's row stays locked. Keys live 24 hours.
-- Errors: MI007 (the first still runs), MI008 (other body).
create or replace function public.begin_idempotent(idempotency jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  known public.idempotency_keys;
begin
  if idempotency is null or jsonb_typeof(idempotency) = 'null' then
    return null;
  end if;
  insert into public.idempotency_keys as kept (scope, key, fingerprint)
  values (idempotency->>'scope', idempotency->>'key', idempotency->>'fingerprint')
  on conflict on constraint idempotency_keys_pkey do update
  set fingerprint = excluded.fingerprint, outcome = null, response = null, message_id = null,
    attempt = null, created_at = now()
  where kept.created_at <= now() - interval '24 hours';
  if found then
    return null;
  end if;
  select k.* into known
  from public.idempotency_keys k
  where k.scope = idempotency->>'scope' and k.key = idempotency->>'key';
  if known.fingerprint <> idempotency->>'fingerprint' then
    raise exception using errcode = 'MI008', message = 'idempotency_key_reused';
  end if;
  return public.describe_kept_outcome(known);
end;
$$;
revoke all on function public.begin_idempotent(jsonb) from public, anon, authenticated;
grant execute on function public.begin_idempotent(jsonb) to service_role;

-- source: supabase/schemas/functions/iso_in_zone.sql
-- An instant as ISO 8601 with milliseconds and the offset that the zone has then; NULL stays NULL.
create or replace function public.iso_in_zone(instant timestamptz, time_zone text)
returns text
language plpgsql
stable strict parallel safe
set search_path = ''
as $$
begin
  return (
    select to_char(clock.local, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
      || case when clock.shift < interval '0' then '-' else '+' end
      || to_char(greatest(clock.shift, -clock.shift), 'HH24:MI')
    from (
      select instant at time zone time_zone as local,
        (instant at time zone time_zone) - (instant at time zone 'UTC') as shift
    ) as clock
  );
end;
$$;
revoke all on function public.iso_in_zone(timestamptz, text) from public, anon, authenticated;
grant execute on function public.iso_in_zone(timestamptz, text) to service_role;

-- source: supabase/schemas/functions/is_business_day.sql
-- Whether the instance's queue sends on that local day: one of its weekdays and no holiday.
create or replace function public.is_business_day(instance public.instances, local_day date)
returns boolean
language plpgsql
stable parallel safe
set search_path = ''
as $$
begin
  return extract(isodow from local_day)::smallint = any (instance.window_days)
    and not exists (
      select from public.holidays h
      where h.instance_id = instance.id and h.day = local_day
    );
end;
$$;
revoke all on function public.is_business_day(public.instances, date) from public, anon, authenticated;
grant execute on function public.is_business_day(public.instances, date) to service_role;

-- source: supabase/schemas/functions/is_send_window_open.sql
-- Whether a paced message of the instance may leave at that instant.
create or replace function public.is_send_window_open(instance public.instances, instant timestamptz)
returns boolean
language plpgsql
stable parallel safe
set search_path = ''
as $$
declare
  clock constant timestamp := instant at time zone instance.time_zone;
begin
  return clock::time >= instance.window_start
    and clock::time < instance.window_end
    -- is_business_day, written out: this is asked once for every claim and every slot.
    and extract(isodow from clock)::smallint = any (instance.window_days)
    and not exists (
      select from public.holidays h
      where h.instance_id = instance.id and h.day = clock::date
    );
end;
$$;
revoke all on function public.is_send_window_open(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.is_send_window_open(public.instances, timestamptz) to service_role;

-- source: supabase/schemas/functions/first_instant_of_window.sql
-- The earliest instant not before `earliest` at which the clock of that local day shows
-- `window_start` or later. Where a daylight-saving change skips that time it is the end of the gap;
-- where the change repeats it, its first occurrence still ahead. NULL where that day has none.
create or replace function public.first_instant_of_window(
  local_day date,
  window_start time,
  time_zone text,
  earliest timestamptz
)
returns timestamptz
language plpgsql
stable parallel safe
set search_path = ''
as $$
declare
  nominal timestamptz := (local_day + window_start) at time zone time_zone;
  -- No zone has ever shifted by more than three hours for daylight saving.
  reach constant interval := interval '3 hours';
begin
  if nominal at time zone time_zone = local_day + window_start
    and (nominal - reach) at time zone time_zone = local_day + window_start - reach
    and nominal >= earliest then
    return nominal;
  end if;
  return (
    select min(instant)
    from generate_series(nominal - reach, nominal + reach, interval '1 minute') as instant
    where instant >= earliest
      and (instant at time zone time_zone)::date = local_day
      and (instant at time zone time_zone)::time >= window_start
  );
end;
$$;
revoke all on function public.first_instant_of_window(date, time, text, timestamptz) from public, anon, authenticated;
grant execute on function public.first_instant_of_window(date, time, text, timestamptz) to service_role;

-- source: supabase/schemas/functions/next_opening.sql
-- When the instance's send window opens next for an instant at which it is closed: the same day's
-- start while that lies ahead, else the next business day's. A day whose window falls whole into a
-- daylight-saving gap is passed over. NULL where it does not open within three years.
create or replace function public.next_opening(instance public.instances, candidate timestamptz)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  local_now constant timestamp := candidate at time zone instance.time_zone;
  first_day constant integer := case when local_now::time < instance.window_start then 0 else 1 end;
  opening timestamptz;
begin
  for days_ahead in first_day..1100 loop
    if public.is_business_day(instance, local_now::date + days_ahead) then
      opening := public.first_instant_of_window(
        local_now::date + days_ahead, instance.window_start, instance.time_zone, candidate
      );
      if public.is_send_window_open(instance, opening) then
        return opening;
      end if;
    end if;
  end loop;
  return null;
end;
$$;
revoke all on function public.next_opening(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.next_opening(public.instances, timestamptz) to service_role;

-- source: supabase/schemas/functions/closed_by.sql
-- What keeps an instance's send window closed at an instant at which it is: `holiday` where the day
-- itself would have been one of business, else `window`.
create or replace function public.closed_by(instance public.instances, instant timestamptz)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  local_day constant date := (instant at time zone instance.time_zone)::date;
begin
  return case
    when exists (
      select from public.holidays h where h.instance_id = instance.id and h.day = local_day
    ) and extract(isodow from local_day)::smallint = any (instance.window_days) then 'holiday'
    else 'window'
  end;
end;
$$;
revoke all on function public.closed_by(public.instances, timestamptz) from public, anon, authenticated;
grant execute on function public.closed_by(public.instances, timestamptz) to service_role;

-- source: supabase/schemas/functions/fit_send_window.sql
-- Moves an instant into the instance's send window (decisions, section 5), in which `typing` after it
-- must lie too: inside it stays; before the window on a business day it goes to that day's start, else
-- to the next business day's start. `held_by` says what moved it (see closed_by), NULL when nothing
-- did. Errors: MI010, also where the window is shorter than the typing.
create or replace function public.fit_send_window(
  instance public.instances,
  candidate timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
language plpgsql
stable
set search_path = ''
as $$
declare
  closed_at constant timestamptz := case
    when public.is_send_window_open(instance, candidate) then candidate + typing
    else candidate
  end;
begin
  if public.is_send_window_open(instance, closed_at) then
    slot := candidate;
    return;
  end if;
  held_by := public.closed_by(instance, closed_at);
  slot := public.next_opening(instance, closed_at);
  if slot is null or not public.is_send_window_open(instance, slot + typing) then
    raise exception using errcode = 'MI010', message = 'send_window_never_opens';
  end if;
end;
$$;
revoke all on function public.fit_send_window(public.instances, timestamptz, interval) from public, anon, authenticated;
grant execute on function public.fit_send_window(public.instances, timestamptz, interval) to service_role;

-- source: supabase/schemas/functions/next_due_at.sql
-- When a paced message at the head may leave: its slot, one interval after the one before it, and
-- not while the instance is held. NULL slot (an empty queue) is never.
create or replace function public.next_due_at(
  dispatch public.dispatch,
  slot timestamptz,
  interval_seconds integer
)
returns timestamptz
language plpgsql
immutable parallel safe
set search_path = ''
as $$
begin
  if slot is null then
    return timestamptz 'infinity';
  end if;
  return greatest(
    slot, dispatch.paced_from + make_interval(secs => interval_seconds), dispatch.hold_until
  );
end;
$$;
revoke all on function public.next_due_at(public.dispatch, timestamptz, integer) from public, anon, authenticated;
grant execute on function public.next_due_at(public.dispatch, timestamptz, integer) to service_role;

-- source: supabase/schemas/functions/head_of_queue.sql
-- The paced message of an instance that leaves next: the earliest slot among those not in flight.
create or replace function public.head_of_queue(instance_id uuid)
returns table (message_id uuid, scheduled_at timestamptz, interval_seconds integer)
language sql
stable
rows 1
set search_path = ''
as $$
  select q.message_id, q.scheduled_at, q.interval_seconds
  from public.message_queue q
  where q.instance_id = head_of_queue.instance_id and q.due_at is null and q.claim_token is null
  order by q.scheduled_at, q.position
  limit 1;
$$;
revoke all on function public.head_of_queue(uuid) from public, anon, authenticated;
grant execute on function public.head_of_queue(uuid) to service_role;

-- source: supabase/schemas/functions/refresh_dispatch.sql
-- Recomputes when each instance is due next from the head of its queue. The caller must hold the
-- pacing rows of all of them, locked in an earlier statement: an enqueue that has inserted but not
-- committed would otherwise be overlooked and its message never wake the dispatcher.
-- Leaves instances with a message in flight alone: their settling comes here again.
create or replace function public.refresh_dispatch(instance_ids uuid[])
returns void
language sql
set search_path = ''
as $$
  update public.dispatch d
  set next_due_at = public.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(refresh_dispatch.instance_ids) as wanted(instance_id)
  left join lateral public.head_of_queue(wanted.instance_id) as head on true
  where d.instance_id = wanted.instance_id and d.in_flight is null;
$$;
revoke all on function public.refresh_dispatch(uuid[]) from public, anon, authenticated;
grant execute on function public.refresh_dispatch(uuid[]) to service_role;

-- source: supabase/schemas/functions/land_instances.sql
-- Frees the `landing` instances whose message in flight is among `settled`, holds those that their
-- provider refuses (`held` until `held_until`, `are_outages` where it is no rate limit; not
-- where the credentials in `held_seals`, NULL for not known, have been replaced), and recomputes when
-- each is due next.
-- The pacing rows are locked first, in an earlier statement than the look at the heads: an enqueue
-- keeps its lock until commit, so none can be overlooked.
create or replace function public.land_instances(
  settled uuid[],
  landing uuid[],
  held uuid[],
  held_until timestamptz[],
  are_outages boolean[],
  held_seals text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.pacing p
  where p.instance_id = any (landing || held)
  order by p.instance_id
  for no key update;
  if held is not null then
    update public.dispatch d
    set hold_until = greatest(d.hold_until, h.held_until),
      refused_at = case when h.is_outage then clock_timestamp() else d.refused_at end
    from unnest(held, held_until, are_outages, held_seals)
      as h(instance_id, held_until, is_outage, sealed_provider_config)
    join public.instances i on i.id = h.instance_id
    where d.instance_id = h.instance_id
      and i.sealed_provider_config = coalesce(h.sealed_provider_config, i.sealed_provider_config);
  end if;
  update public.dispatch d
  set in_flight = null,
    lease_until = null,
    next_due_at = public.next_due_at(d, head.scheduled_at, head.interval_seconds)
  from unnest(landing) as wanted(instance_id)
  left join lateral (
    -- head_of_queue, written out: settling is the queue's busiest path.
    select q.scheduled_at, q.interval_seconds
    from public.message_queue q
    where q.instance_id = wanted.instance_id and q.due_at is null and q.claim_token is null
    order by q.scheduled_at, q.position
    limit 1
  ) as head on true
  -- "is true" keeps the plan off the index of all that is in flight.
  where d.instance_id = wanted.instance_id and (d.in_flight = any (settled)) is true;
  perform public.refresh_dispatch(held) where held is not null;
end;
$$;
revoke all on function public.land_instances(uuid[], uuid[], uuid[], timestamptz[], boolean[], text[]) from public, anon, authenticated;
grant execute on function public.land_instances(uuid[], uuid[], uuid[], timestamptz[], boolean[], text[]) to service_role;

-- source: supabase/schemas/functions/postpone_dispatch.sql
-- For instances that looked due but have nothing to send now (their head was canceled, lies ahead, or
-- the window has closed or will have when its typing has been shown): moves their due time to when they
-- have. The pacing rows are tried, not
-- waited for: the caller holds the dispatch rows, and an enqueue takes the two the other way round.
create or replace function public.postpone_dispatch(instance_ids uuid[], clock timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  locked uuid[];
begin
  select array_agg(l.instance_id) into locked
  from (
    select p.instance_id
    from public.pacing p
    where p.instance_id = any (instance_ids)
    order by p.instance_id
    for no key update skip locked
  ) as l;
  perform public.refresh_dispatch(locked);
  update public.dispatch d
  -- A window that never opens is one instance's fault and must not stop the others: look daily.
  set next_due_at = case
    when not public.is_send_window_open(i, clock)
      then coalesce(public.next_opening(i, clock), clock + interval '1 day')
    when not public.is_send_window_open(i, head.leaves_at)
      then coalesce(public.next_opening(i, head.leaves_at), clock + interval '1 day')
    else clock
  end
  from public.instances i
  cross join lateral (
    select clock + interval '1 millisecond' * coalesce(max(m.delay_typing_ms), 0) as leaves_at
    from public.head_of_queue(i.id) h
    join public.messages m on m.id = h.message_id
  ) as head
  where d.instance_id = any (locked) and i.id = d.instance_id
    and d.in_flight is null and d.next_due_at <= clock;
end;
$$;
revoke all on function public.postpone_dispatch(uuid[], timestamptz) from public, anon, authenticated;
grant execute on function public.postpone_dispatch(uuid[], timestamptz) to service_role;

-- source: supabase/schemas/functions/enqueue_message.sql
-- Gives a message the instance's next slot and puts it in the paced queue: the later of
-- `not_before` (at least now) and (last slot + interval), moved into the send window. The provider is
-- called at the slot; a message whose `typing` is shown first leaves when it has been, and the next
-- interval counts from then.
-- Locks the pacing row until commit, so simultaneous calls wait for each other here and nowhere
-- else. `held_by` says what moved the slot away from `not_before`; `interval`,
-- `window`, `holiday`, or NULL.
create or replace function public.enqueue_message(
  message_id uuid,
  instance public.instances,
  interval_seconds integer,
  not_before timestamptz,
  typing interval,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  is_paced boolean;
  has_one_before boolean;
begin
  -- The clock is read once the lock is there: the new row version is computed after the wait.
  update public.pacing p
  set last_slot_at = greatest(
    not_before,
    date_trunc('milliseconds', clock_timestamp()),
    p.last_slot_at + make_interval(secs => interval_seconds)
  ) + typing
  where p.instance_id = instance.id
  returning p.last_slot_at - typing into strict slot;
  is_paced := slot > greatest(not_before, date_trunc('milliseconds', clock_timestamp()));
  if not public.is_send_window_open(instance, slot)
    or typing > interval '0' and not public.is_send_window_open(instance, slot + typing) then
    select f.slot, f.held_by into slot, held_by
    from public.fit_send_window(instance, slot, typing) f;
    update public.pacing p set last_slot_at = enqueue_message.slot + typing
    where p.instance_id = instance.id;
  end if;
  if held_by is null and is_paced then
    held_by := 'interval';
  end if;
  insert into public.message_queue (message_id, instance_id, scheduled_at, interval_seconds)
  values (enqueue_message.message_id, instance.id, slot, enqueue_message.interval_seconds)
  returning exists (
    select from public.message_queue q
    where q.instance_id = instance.id and q.due_at is null and q.claim_token is null
      and q.scheduled_at <= slot
  ) into has_one_before;
  -- Only ever lowers the due time, and only for a new head: what stands behind another one leaves
  -- after it, and while that suffices no lock is taken that a claim would skip.
  if not has_one_before then
    update public.dispatch d
    set next_due_at = public.next_due_at(d, slot, enqueue_message.interval_seconds)
    where d.instance_id = instance.id
      and d.next_due_at > public.next_due_at(d, slot, enqueue_message.interval_seconds);
  end if;
end;
$$;
revoke all on function public.enqueue_message(uuid, public.instances, integer, timestamptz, interval) from public, anon, authenticated;
grant execute on function public.enqueue_message(uuid, public.instances, integer, timestamptz, interval) to service_role;

-- source: supabase/schemas/functions/refuse_unreachable_contact.sql
-- Raises MI005 for a blocked contact, and MI006 for a free-form message on the official channel to
-- a contact whose last message is known and older than 24 hours (templates may go then).
create or replace function public.refuse_unreachable_contact(
  instance public.instances,
  contact public.contacts,
  message_type text
)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  if instance.provider = 'whatsapp_cloud' and message_type <> 'template'
    and contact.last_inbound_at < clock_timestamp() - interval '24 hours' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window';
  end if;
end;
$$;
revoke all on function public.refuse_unreachable_contact(public.instances, public.contacts, text) from public, anon, authenticated;
grant execute on function public.refuse_unreachable_contact(public.instances, public.contacts, text) to service_role;

-- source: supabase/schemas/functions/place_message.sql
-- Puts a message that is being accepted where its delivery wants it: `queued` into the paced queue,
-- `scheduled` (delayed, or deferred to the dispatcher) among the unpaced, else `sent`: into the
-- caller's own hands for leaseSeconds, tried once. See accept_message for `delivery`,
-- enqueue_message for `typing`.
-- `slot` and `held_by` are NULL for what goes at once, `claim_token` for all else.
create or replace function public.place_message(
  message_id uuid,
  instance public.instances,
  delivery jsonb,
  typing interval,
  out mode text,
  out slot timestamptz,
  out held_by text,
  out claim_token uuid
)
language plpgsql
set search_path = ''
as $$
declare
  is_delayed constant boolean := coalesce((delivery->>'delaySeconds')::double precision > 0, false);
  not_before constant timestamptz := date_trunc('milliseconds', clock_timestamp())
    + make_interval(secs => coalesce((delivery->>'delaySeconds')::double precision, 0));
  lease_until timestamptz;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    select e.slot, e.held_by into slot, held_by
    from public.enqueue_message(
      message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing
    ) e;
    if is_delayed then
      held_by := coalesce(held_by, 'delay');
    end if;
  elsif is_delayed or (delivery->>'isDeferred')::boolean then
    mode := 'scheduled';
    slot := not_before;
    held_by := case when is_delayed then 'delay' end;
    insert into public.message_queue (message_id, instance_id, scheduled_at, due_at)
    values (message_id, instance.id, slot, slot);
  else
    mode := 'sent';
    claim_token := gen_random_uuid();
    lease_until := clock_timestamp()
      + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
    insert into public.message_queue (
      message_id, instance_id, scheduled_at, due_at, max_attempts, attempts, claim_token, lease_until
    )
    values (
      message_id, instance.id, not_before, lease_until, 1, 1, claim_token, lease_until
    );
  end if;
end;
$$;
revoke all on function public.place_message(uuid, public.instances, jsonb, interval) from public, anon, authenticated;
grant execute on function public.place_message(uuid, public.instances, jsonb, interval) to service_role;

-- source: supabase/schemas/functions/attempt_again.sql
-- Claims the message of a repeated call for another immediate attempt, after a refusal that its provider
-- calls temporary (decisions, section 5, Idempotency-Key). It is the same message: its stored content is
-- sent, and nothing else of the call is done again but the pause of the agent, as with any accepted call.
-- `request` is accept_message's; `known` is what begin_idempotent said, isAttemptDue.
-- Returns {attempted: {outcome, message (see claimed_messages)}}: the caller holds the claim for
-- leaseSeconds and must settle it.
-- Locks the message; the caller holds the key, so that of two equal calls one attempts.
-- Errors: MI005, MI006 (as for a first attempt); MI007 (another one came first, by retry_message or a
-- delivery event).
create or replace function public.attempt_again(request jsonb, known jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message public.messages;
  contact public.contacts;
  instance public.instances;
  outcome jsonb := known->'outcome';
  lease_until timestamptz;
begin
  select m.* into message from public.messages m
  where m.id = (known->>'messageId')::uuid
  for no key update;
  if message.id is null or message.status <> 'failed' or not message.is_retryable
    or exists (select from public.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  select i.* into strict instance from public.instances i where i.id = message.instance_id;
  select c.* into strict contact from public.contacts c where c.id = message.contact_id;
  perform public.refuse_unreachable_contact(instance, contact, message.message_type);
  lease_until := clock_timestamp() + make_interval(
    secs => (request->'delivery'->>'leaseSeconds')::double precision
  );
  insert into public.message_queue (
    message_id, instance_id, scheduled_at, due_at, max_attempts, attempts, claim_token, lease_until
  )
  values (
    message.id, instance.id, clock_timestamp(), lease_until, 1, 1, gen_random_uuid(), lease_until
  );
  update public.messages m
  set status = 'sending', failed_at = null, is_known_by_echo = false
  where m.id = message.id;
  if message.agent_id is null and message.sent_by is distinct from 'ai_agent' then
    outcome := outcome || jsonb_build_object('aiAgentPausedUntil', public.iso_in_zone(
      public.pause_agent(instance.id, contact.id, clock_timestamp()), instance.time_zone
    ));
  end if;
  perform public.keep_outcome(request->'idempotency', outcome, message.id);
  return jsonb_build_object('attempted', jsonb_build_object(
    'outcome', outcome,
    'message', public.claimed_messages(array[message.id])->0
  ));
end;
$$;
revoke all on function public.attempt_again(jsonb, jsonb) from public, anon, authenticated;
grant execute on function public.attempt_again(jsonb, jsonb) to service_role;

-- source: supabase/schemas/functions/accept_message.sql
-- Records everything that a sending call makes true at once: contact, conversation, assignment,
-- message, slot, agent pause, idempotency key; no provider is called before this has committed.
-- `request`: instanceId, phone, idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, mediaUrl, mediaFilename, optionList, template, cardId, sentBy,
--     delayTypingMs} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn); or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also claimToken and `to`, the address: the
-- caller holds the claim for leaseSeconds and must settle it. Or {replayed: ...} for a known key,
-- and {attempted: ...} where that key's message is to be tried again (see attempt_again).
-- Locks, in this order: key, contact, conversation, agent pause, pacing, dispatch.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI018 (the agent is to be silent).
create or replace function public.accept_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  instance public.instances;
  contact public.contacts;
  conversation public.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  replayed constant jsonb := public.begin_idempotent(request->'idempotency');
  assignment jsonb;
  agent_id uuid;
  outcome jsonb;
  mode text;
  message_id constant uuid := gen_random_uuid();
  claim_token uuid;
  slot timestamptz;
  held_by text;
  departure record;
  paused_until timestamptz;
  is_pausing boolean := false;
begin
  if (replayed->>'isAttemptDue')::boolean then
    return public.attempt_again(request, replayed);
  elsif replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;

  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from public.resolve_contact(instance.id, request->>'phone') r;
  if draft is not null then
    perform public.refuse_unreachable_contact(instance, contact, draft->>'messageType');
  end if;
  conversation := public.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := public.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;

  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    perform public.take_agent_turn(
      conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
      (request->'agent'->>'answersThrough')::bigint
    );
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := public.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := public.speaking_agent(conversation);
  end if;

  if draft is null then
    mode := 'assign_only';
  else
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent' then
      paused_until := public.pause_agent(instance.id, contact.id, clock_timestamp());
      is_pausing := true;
    end if;
    select p.mode, p.slot, p.held_by, p.claim_token into mode, slot, held_by, claim_token
    from public.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
    ) p;
    insert into public.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, media_url,
      media_filename, option_list, template, card_id, sent_by, operator_id, agent_id,
      delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given
    ) values (
      message_id, instance.id, contact.id, conversation.id, 'outbound', draft->>'messageType',
      draft->>'message', draft->>'mediaUrl', draft->>'mediaFilename',
      nullif(draft->'optionList', 'null'), nullif(draft->'template', 'null'), draft->>'cardId',
      draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then
        coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to)
      end,
      agent_id, (draft->>'delayTypingMs')::integer, mode,
      (delivery->>'intervalSeconds')::integer,
      case mode when 'sent' then 'sending' else 'queued' end, slot, held_by,
      case when request->>'phone' is distinct from contact.phone then request->>'phone' end
    );
  end if;

  if mode = 'queued' then
    -- A hold may end after the slot.
    select e.* into departure
    from (select message_id as id, slot as at) as own
    join public.dispatch d on d.instance_id = instance.id and d.hold_until > own.at
    join public.message_queue q on q.message_id = own.id
    join public.messages m on m.id = own.id
    cross join lateral public.expected_departure(q, m, instance, d) as e;
    if found then
      slot := departure.leaves_at;
      held_by := departure.held_by;
    end if;
  end if;
  if not is_pausing then
    select p.paused_until into paused_until from public.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock_timestamp();
  end if;

  outcome := jsonb_build_object(
    'mode', mode,
    'contactId', contact.id,
    'conversationId', conversation.id,
    'agentId', agent_id,
    'assignment', assignment,
    'messageId', case when draft is not null then message_id end,
    'status', case mode when 'assign_only' then null when 'sent' then 'sending' else 'queued' end,
    'scheduledFor', public.iso_in_zone(slot, instance.time_zone),
    'heldBy', held_by,
    'aiAgentPausedUntil', public.iso_in_zone(paused_until, instance.time_zone)
  );
  perform public.keep_outcome(
    request->'idempotency', outcome, case when draft is not null then message_id end
  );
  return outcome || jsonb_build_object(
    'claimToken', claim_token,
    'to', case when mode = 'sent' then public.address_of(contact, request->>'phone') end
  );
end;
$$;
revoke all on function public.accept_message(jsonb) from public, anon, authenticated;
grant execute on function public.accept_message(jsonb) to service_role;

-- source: supabase/schemas/functions/lock_provider_messages.sql
-- Lets one transaction at a time speak of a provider's message, until it commits: so that a delivery
-- event and the recording of the send it belongs to never miss each other. Takes instances and
-- provider message ids in pairs; locks in one order for all. Messages of an instance share 256 locks:
-- a delivery of thousands must not use up what the server has for all.
create or replace function public.lock_provider_messages(
  instance_ids uuid[],
  provider_message_ids text[]
)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct hashtextextended(pair.instance_id::text, 0)
      # (hashtext(pair.provider_message_id) & 255) as lock_key
    from unnest(instance_ids, provider_message_ids) as pair(instance_id, provider_message_id)
    where pair.provider_message_id is not null
    order by lock_key
  ) as wanted;
end;
$$;
revoke all on function public.lock_provider_messages(uuid[], text[]) from public, anon, authenticated;
grant execute on function public.lock_provider_messages(uuid[], text[]) to service_role;

-- source: supabase/schemas/functions/advance_message.sql
-- Moves a message of ours forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says; never back, and what is read or canceled does not fail any more (but may have arrived). Settles
-- what is `unconfirmed`, and takes what waits to be sent again out of the queue: it has arrived.
-- Of an earlier attempt, which has another id at the provider, only that it has arrived counts.
-- What was in doubt left before its call was given up, however late the event is.
-- Returns whether it changed anything. Locks the message, then pacing.
create or replace function public.advance_message(
  message_id uuid,
  provider_message_id text,
  status text,
  occurred_at timestamptz,
  error jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved_instance_id uuid;
begin
  update public.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled')
        then coalesce(advance_message.provider_message_id, m.provider_message_id)
      else coalesce(m.provider_message_id, advance_message.provider_message_id)
    end,
    sent_at = case
      when advance_message.status = 'failed' then m.sent_at
      else coalesce(m.sent_at, greatest(least(occurred_at, m.unconfirmed_at), m.created_at))
    end,
    delivered_at = case
      when advance_message.status in ('delivered', 'read') then coalesce(m.delivered_at, occurred_at)
      else m.delivered_at
    end,
    read_at = case when advance_message.status = 'read' then occurred_at else m.read_at end,
    failed_at = case when advance_message.status = 'failed' then occurred_at end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  where m.id = advance_message.message_id
    and case m.status
      -- In a worker's hands it can have failed; waiting to be tried again it has not yet.
      when 'queued' then advance_message.status <> 'failed' or exists (
        select from public.message_queue q
        where q.message_id = m.id and q.claim_token is not null
      )
      when 'sending' then true
      when 'unconfirmed' then true
      when 'sent' then advance_message.status <> 'sent'
      when 'delivered' then advance_message.status = 'read'
      when 'canceled' then advance_message.status <> 'failed'
      -- One attempt has failed and another one has arrived.
      when 'failed' then advance_message.status in ('delivered', 'read')
        and m.provider_message_id <> advance_message.provider_message_id
      else false
    end
    and (
      advance_message.status in ('delivered', 'read')
      or m.provider_message_id is null
      or advance_message.provider_message_id is null
      -- An id that is known before the attempt's outcome is an earlier one's.
      or (m.provider_message_id = advance_message.provider_message_id) = (m.status = 'sent')
    )
  returning m.instance_id into moved_instance_id;
  if not found then
    return false;
  end if;
  -- Waits for a claim that is being made, which waits for nobody: rolled back, it would leave the row.
  delete from public.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null;
  if found then
    perform from public.pacing p where p.instance_id = moved_instance_id for no key update;
    perform public.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
revoke all on function public.advance_message(uuid, text, text, timestamptz, jsonb) from public, anon, authenticated;
grant execute on function public.advance_message(uuid, text, text, timestamptz, jsonb) to service_role;

-- source: supabase/schemas/functions/take_early_statuses.sql
-- Applies delivery events that came before these messages were known by their provider ids.
create or replace function public.take_early_statuses(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  early record;
begin
  if not exists (select from public.early_statuses) then
    return;
  end if;
  for early in
    with taken as (
      delete from public.early_statuses e
      using public.messages m
      where m.id = any (message_ids)
        and e.instance_id = m.instance_id
        and e.provider_message_id = m.provider_message_id
      returning m.id as message_id, e.provider_message_id, e.status, e.occurred_at, e.error
    )
    select t.* from taken t
    order by array_position(array['sent', 'delivered', 'read', 'failed'], t.status)
  loop
    perform public.advance_message(
      early.message_id, early.provider_message_id, early.status, early.occurred_at, early.error
    );
  end loop;
end;
$$;
revoke all on function public.take_early_statuses(uuid[]) from public, anon, authenticated;
grant execute on function public.take_early_statuses(uuid[]) to service_role;

-- source: supabase/schemas/functions/retry_delay.sql
-- How long to wait before trying a message again: 2, 8, 32, 128, 512 seconds with up to a fifth
-- more at random, or the provider's Retry-After where that is longer. The one place of the backoff.
create or replace function public.retry_delay(attempts integer, retry_after_ms integer)
returns interval
language sql
volatile
set search_path = ''
as $$
  select greatest(
    interval '2 seconds' * power(4, least(attempts, 5) - 1) * (1 + random() / 5),
    interval '1 millisecond' * coalesce(retry_after_ms, 0)
  );
$$;
revoke all on function public.retry_delay(integer, integer) from public, anon, authenticated;
grant execute on function public.retry_delay(integer, integer) to service_role;

-- source: supabase/schemas/functions/hold_for_refusal.sql
-- For how long an instance is held whose provider refuses all of it for good (credentials, payment):
-- ten seconds, so that one odd refusal costs little; five minutes when it happens again within ten
-- minutes, so that a backlog is not burnt. A hold in force is not lengthened.
create or replace function public.hold_for_refusal(instance_id uuid)
returns interval
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch public.dispatch;
begin
  select d.* into strict dispatch
  from public.dispatch d where d.instance_id = hold_for_refusal.instance_id;
  return case
    when dispatch.refused_at < clock - interval '10 minutes' then interval '10 seconds'
    when dispatch.hold_until > clock then interval '0'
    else interval '5 minutes'
  end;
end;
$$;
revoke all on function public.hold_for_refusal(uuid) from public, anon, authenticated;
grant execute on function public.hold_for_refusal(uuid) to service_role;

-- source: supabase/schemas/functions/settle_messages.sql
-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   sealedProviderConfig (what the call was made with; NULL for not known)}], and for an immediate
--   send `response` {status, body (as text)} with `idempotency` {scope, key}.
-- Only who still holds the claim settles. A late worker changes nothing, but that the provider has
-- taken the message over is true however late it is told. Statuses only move forward (a delivery event
-- may have come before). Temporary refusals go back to the queue while attempts are left; a refusal of
-- scope `instance` holds the whole instance. One that is no rate limit (an outage: session gone,
-- credentials, account) costs no attempt, so that a backlog is not burnt.
-- Returns {settled}: the ids that were settled.
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows who somebody is, contacts.
-- The queue may hold ten rows or a million: its plans must not depend on what the statistics last saw.
create or replace function public.settle_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  shows_addresses constant boolean := request @? '$.results[*].waId';
  settled uuid[];
  silencing_instances uuid[];
  silencing_contacts uuid[];
  landing uuid[];
  held uuid[];
  held_until timestamptz[];
  are_outages boolean[];
  held_seals text[];
  echoes jsonb;
  late uuid[];
begin
  perform public.lock_provider_messages(
    array_agg(m.instance_id), array_agg(r."providerMessageId")
  )
  from jsonb_to_recordset(request->'results') as r("messageId" uuid, "providerMessageId" text)
  join public.messages m on m.id = r."messageId";

  if shows_addresses then
    perform public.lock_addresses(shown.instance_id, array_agg(shown.address))
    from (
      select m.instance_id, r."waId" as address
      from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
      join public.messages m on m.id = r."messageId"
      where r."waId" is not null and not exists (
        select from public.contact_addresses a
        where a.instance_id = m.instance_id
          and a.identity_key = public.phone_identity_key(r."waId") and a.contact_id = m.contact_id
      )
    ) as shown
    group by shown.instance_id
    order by shown.instance_id;
  end if;

  with result as (
    select * from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "sealedProviderConfig" text
    )
  ),
  won as materialized (
    select q.message_id, q.instance_id, q.due_at is null as is_paced, q.max_attempts,
      r.outcome, r."providerMessageId" as provider_message_id, r."waId" as wa_id, r.error,
      -- What a delivery event has moved on meanwhile is not sent again, whatever the answer says.
      coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage then q.max_attempts > 1
            else (r.retryable or former.is_former) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried,
      outage.is_outage,
      coalesce(r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former, false)
        as is_held,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      r."sealedProviderConfig" as sealed_provider_config,
      former.is_former,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      q.echo,
      case
        when former.is_former or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced ones are held.
        when outage.is_outage then (
          select greatest(clock + public.hold_for_refusal(q.instance_id), d.hold_until)
          from public.dispatch d where d.instance_id = q.instance_id
        )
        when r.retryable then clock + public.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at
    from result r
    join public.message_queue q on q.message_id = r."messageId"
    join public.messages m on m.id = q.message_id
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from public.instances i where i.id = q.instance_id
        ),
        false
      ) as is_former
    ) as former
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    where q.claim_token = r."claimToken"
    for no key update of q, m
  ),
  gone as (
    delete from public.message_queue q using won
    where q.message_id = won.message_id and not won.is_retried
  ),
  waiting as (
    -- Refused for the whole instance it stays the head and waits there; else others may pass it.
    update public.message_queue q
    set claim_token = null,
      lease_until = null,
      echo = null,
      attempts = case when won.is_outage then q.attempts - 1 else q.attempts end,
      due_at = case when won.is_paced then null else won.retry_at end,
      scheduled_at = case
        when won.is_paced and (won.is_held or won.is_former) then q.scheduled_at
        else won.retry_at
      end
    from won
    where q.message_id = won.message_id and won.is_retried
  ),
  recorded as (
    update public.messages m
    set attempts = least(m.attempts::integer + 1, 32767),
      last_error = case
        when m.status = 'failed' and not won.is_revived then m.last_error
        when won.outcome <> 'accepted' then won.error
      end,
      provider_message_id = coalesce(won.provider_message_id, m.provider_message_id),
      status = case
        -- What failed is an earlier attempt: this one has another id.
        when won.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when won.is_retried then 'queued'
        when won.outcome = 'accepted' then 'sent'
        when won.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then won.is_retryable
        else m.is_retryable
      end,
      sent_at = case when won.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not won.is_revived then m.failed_at
        when won.outcome = 'rejected' and not won.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when won.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    from won
    where m.id = won.message_id
    returning m.instance_id, m.contact_id, won.wa_id,
      won.outcome = 'accepted' and won.max_attempts > 1 and m.agent_id is null
        and m.sent_by is distinct from 'ai_agent' as silences_agent
  ),
  proven as (
    insert into public.contact_addresses as a (instance_id, address, contact_id, proven_at)
    select distinct on (r.instance_id, public.phone_identity_key(r.wa_id))
      r.instance_id, r.wa_id, r.contact_id, clock
    from recorded r
    where r.wa_id is not null
    order by r.instance_id, public.phone_identity_key(r.wa_id)
    on conflict on constraint contact_addresses_pkey do update
    set proven_at = excluded.proven_at, address = excluded.address
    where a.contact_id = excluded.contact_id
      and (
        a.address <> excluded.address
        or a.proven_at < clock - interval '1 day'
        or exists (
          select from public.contact_addresses newer
          where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
        )
      )
  )
  select
    array_agg(won.message_id),
    (select array_agg(r.instance_id order by r.contact_id) from recorded r where r.silences_agent),
    (select array_agg(r.contact_id order by r.contact_id) from recorded r where r.silences_agent),
    array_agg(won.instance_id) filter (where won.is_paced),
    array_agg(won.instance_id) filter (where won.is_held),
    array_agg(won.retry_at) filter (where won.is_held),
    array_agg(won.is_outage) filter (where won.is_held),
    array_agg(won.sealed_provider_config) filter (where won.is_held),
    jsonb_agg(jsonb_build_object(
      'messageId', won.message_id, 'outcome', won.outcome,
      'providerMessageId', won.provider_message_id, 'echo', won.echo
    )) filter (where won.echo is not null)
  into settled, silencing_instances, silencing_contacts, landing, held, held_until, are_outages,
    held_seals, echoes
  from won;
  settled := coalesce(settled, '{}');

  if cardinality(settled) < jsonb_array_length(request->'results') then
    select array_agg(r."messageId") filter (
      where public.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    ) into late
    from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, outcome text, "providerMessageId" text
    )
    where r.outcome = 'accepted' and r."messageId" <> all (settled);
  end if;

  -- The pause began when the call was accepted; it begins again now that the message really left.
  if silencing_contacts is not null then
    perform public.pause_agent(m.instance_id, m.contact_id, clock)
    from (
      select s.instance_id, s.contact_id
      from unnest(silencing_instances, silencing_contacts) as s(instance_id, contact_id)
      where exists (
        select from public.ai_agents a where a.instance_id = s.instance_id and a.is_active
      )
      order by s.contact_id
    ) as m;
  end if;
  perform public.take_early_statuses(settled || late);
  if landing is not null or held is not null then
    perform public.land_instances(settled, landing, held, held_until, are_outages, held_seals);
  end if;
  if nullif(request->'response', 'null') is not null then
    update public.idempotency_keys k
    set response = request->'response',
      attempt = (select m.attempts from public.messages m where m.id = k.message_id)
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key'
      and k.message_id = any (settled);
  end if;
  perform public.settle_echo(e."messageId", e.outcome, e."providerMessageId", e.echo)
  from jsonb_to_recordset(echoes) as e(
    "messageId" uuid, outcome text, "providerMessageId" text, echo jsonb
  );
  perform public.fold_own_echoes(settled || late);
  if shows_addresses then
    perform public.show_phone(c, r."waId")
    from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
    join public.messages m on m.id = r."messageId"
    join public.contacts c on c.id = m.contact_id
    where r."waId" is not null and r."messageId" = any (settled) and c.phone is null;
  end if;
  return jsonb_build_object('settled', to_jsonb(settled));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;

-- source: supabase/schemas/functions/claimed_messages.sql
-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
create or replace function public.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(handed order by handed."scheduledAt")), '[]')
    from (
      select m.id as "messageId",
        q.claim_token as "claimToken",
        q.scheduled_at as "scheduledAt",
        i.id as "instanceId",
        i.provider,
        i.sealed_provider_config as "sealedProviderConfig",
        c.is_blocked as "isContactBlocked",
        -- The agent's own answer, deferred; what a caller delayed is the caller's to stop.
        m.agent_id is not null and m.mode = 'scheduled' and m.held_by is distinct from 'delay'
          and exists (
          select from public.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        -- address_of, written out: a call per message would be a quarter of the work.
        coalesce(
          (
            select a.address from public.contact_addresses a
            where a.contact_id = c.id
            order by a.proven_at desc
            limit 1
          ),
          m.phone_given,
          c.phone
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.media_url as "mediaUrl",
        m.media_filename as "mediaFilename",
        m.option_list as "optionList",
        m.template,
        m.delay_typing_ms as "delayTypingMs"
      from unnest(claimed_messages.message_ids) as claimed(message_id)
      join public.message_queue q on q.message_id = claimed.message_id
      join public.messages m on m.id = claimed.message_id
      join public.contacts c on c.id = m.contact_id
      join public.instances i on i.id = m.instance_id
    ) as handed
  );
end;
$$;
revoke all on function public.claimed_messages(uuid[]) from public, anon, authenticated;
grant execute on function public.claimed_messages(uuid[]) to service_role;

-- source: supabase/schemas/functions/next_wake_up.sql
-- When the next message or outbox row is due: how long the dispatcher may sleep. NULL for never.
create or replace function public.next_wake_up()
returns timestamptz
language sql
stable
set search_path = ''
as $$
  select nullif(least(
    (
      select d.next_due_at from public.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (select q.due_at from public.message_queue q where q.due_at is not null order by q.due_at limit 1),
    (select o.run_at from public.outbox o where o.status = 'pending' order by o.run_at limit 1)
  ), 'infinity');
$$;
revoke all on function public.next_wake_up() from public, anon, authenticated;
grant execute on function public.next_wake_up() to service_role;

-- source: supabase/schemas/functions/claim_due_messages.sql
-- Hands out due messages, each with a claim that its settling must show: at most one paced message
-- per instance, in order, one interval apart and inside the window; and unpaced ones that are due.
-- A message leaves when its typing has been shown: pace counts from then, and both lie in the window.
-- `request`: maxMessages, leaseSeconds (a message's typing delay is added to it).
-- Returns {messages, nextDueInMs, isOutboxDue}: nextDueInMs says in how long something is due that
-- was not handed out (by the database's clock; NULL for nothing known), isOutboxDue whether
-- claim_outbox has work. Never waits for a lock: what another session holds is left for later.
-- The queue may hold ten rows or a million: its plans must not depend on what the statistics last saw.
create or replace function public.claim_due_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_messages constant integer := (request->>'maxMessages')::integer;
  -- However many paced ones are due, a quarter of the places is the unpaced ones' if they need it.
  max_paced integer;
  lease constant interval := make_interval(secs => (request->>'leaseSeconds')::double precision);
  clock constant timestamptz := clock_timestamp();
  paced uuid[];
  asleep uuid[];
  unpaced uuid[];
begin
  select max_messages - count(*) into max_paced
  from (
    select from public.message_queue q
    where q.due_at <= clock and q.claim_token is null
    order by q.due_at
    limit max_messages / 4
  ) as unpaced_due;
  with due as materialized (
    select d.instance_id, d.paced_from
    from public.dispatch d
    where d.in_flight is null and d.next_due_at <= clock
    order by d.next_due_at
    limit max_paced
    for no key update skip locked
  ),
  head as (
    select due.instance_id, leaving.message_id, leaving.typing
    from due
    join public.instances i on i.id = due.instance_id
    left join lateral (
      select q.message_id, q.interval_seconds
      from public.message_queue q
      where q.instance_id = due.instance_id and q.due_at is null and q.claim_token is null
        and q.scheduled_at <= clock
      order by q.scheduled_at, q.position
      limit 1
      for no key update skip locked
    ) as h on true
    left join lateral (
      select m.id as message_id, shown.typing
      from public.messages m
      cross join lateral (
        select interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing
      ) as shown
      where m.id = h.message_id
        -- The due time may have been another head's, with a shorter interval.
        and due.paced_from + make_interval(secs => h.interval_seconds) <= clock
        -- is_send_window_open, written out: called, it would cost as much as finding the message.
        and ((clock + shown.typing) at time zone i.time_zone)::time >= i.window_start
        and ((clock + shown.typing) at time zone i.time_zone)::time < i.window_end
        and extract(isodow from (clock + shown.typing) at time zone i.time_zone)::smallint
          = any (i.window_days)
        and not exists (
          select from public.holidays holiday
          where holiday.instance_id = i.id
            and holiday.day = ((clock + shown.typing) at time zone i.time_zone)::date
        )
        and (shown.typing = interval '0' or public.is_send_window_open(i, clock))
    ) as leaving on true
  ),
  claimed as (
    update public.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing
    from head
    where q.message_id = head.message_id
    returning q.message_id, q.instance_id, q.lease_until, head.typing
  ),
  marked as (
    -- An instance that is on time keeps its slots' grid: what little a message left late is not
    -- added to the next one. Later than that, the interval counts from now.
    update public.dispatch d
    set in_flight = claimed.message_id,
      lease_until = claimed.lease_until,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + claimed.typing
    from claimed
    where d.instance_id = claimed.instance_id
    returning d.in_flight
  )
  select
    (select array_agg(marked.in_flight) from marked),
    (select array_agg(head.instance_id) from head where head.message_id is null)
  into paced, asleep;

  if asleep is not null then
    perform public.postpone_dispatch(asleep, clock);
  end if;

  with due as (
    select q.message_id
    from public.message_queue q
    where q.due_at <= clock and q.claim_token is null
    order by q.due_at
    limit max_messages - coalesce(cardinality(paced), 0)
    for no key update skip locked
  ),
  claimed as (
    update public.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0),
      due_at = clock + lease + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
    from due
    join public.messages m on m.id = due.message_id
    where q.message_id = due.message_id
    returning q.message_id
  )
  select array_agg(claimed.message_id) into unpaced from claimed;

  return jsonb_build_object(
    'messages', public.claimed_messages(paced || unpaced),
    'nextDueInMs', (
      -- greatest() passes over NULL, which is to stay what it is.
      select case when due.at is not null then greatest(
        extract(epoch from due.at - clock_timestamp()) * 1000, 0
      ) end
      from public.next_wake_up() as due(at)
    ),
    'isOutboxDue', exists (
      select from public.outbox o
      where o.status = 'pending' and o.run_at <= (select clock_timestamp())
    )
  );
end;
$$;
revoke all on function public.claim_due_messages(jsonb) from public, anon, authenticated;
grant execute on function public.claim_due_messages(jsonb) to service_role;

-- source: supabase/schemas/functions/expire_claims.sql
-- Ends claims whose lease is over: their worker died between the claim and its record, so whether
-- the provider was called is unknown and the message becomes `unconfirmed`, visible, never sent
-- again by itself. Bounded by `request`.maxMessages a call. Returns {expired}: how many.
create or replace function public.expire_claims(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  expired jsonb;
begin
  with lapsed as (
    (
      select d.in_flight as message_id
      from public.dispatch d
      where d.in_flight is not null and d.lease_until <= clock
      order by d.lease_until
      limit (request->>'maxMessages')::integer
    )
    union all
    (
      select q.message_id
      from public.message_queue q
      where q.due_at <= clock and q.claim_token is not null
      order by q.due_at
      limit (request->>'maxMessages')::integer
    )
  )
  select jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was sending this message ended before it recorded the outcome.'
    )
  )) into expired
  from lapsed
  join public.message_queue q on q.message_id = lapsed.message_id
  where q.claim_token is not null and q.lease_until <= clock;
  if expired is null then
    -- A flight whose message is gone (its contact was deleted) has nobody left to settle it.
    perform public.land_instances(
      array_agg(d.in_flight), array_agg(d.instance_id), null, null, null, null
    )
    from public.dispatch d
    where d.in_flight is not null and d.lease_until <= clock
      and not exists (select from public.message_queue q where q.message_id = d.in_flight)
    having count(*) > 0;
    return jsonb_build_object('expired', 0);
  end if;
  return jsonb_build_object(
    'expired',
    jsonb_array_length(public.settle_messages(jsonb_build_object('results', expired))->'settled')
  );
end;
$$;
revoke all on function public.expire_claims(jsonb) from public, anon, authenticated;
grant execute on function public.expire_claims(jsonb) to service_role;

-- source: supabase/schemas/functions/requeue_message.sql
-- Puts a failed or unconfirmed message back in line: into the paced queue with a new slot when it
-- was queued, else due at once. The caller holds the message's row and has checked its state.
create or replace function public.requeue_message(message public.messages)
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  slot timestamptz := clock;
  held_by text := message.held_by;
begin
  if message.mode = 'queued' then
    select i.* into strict instance from public.instances i where i.id = message.instance_id;
    select e.slot, e.held_by into slot, held_by
    from public.enqueue_message(
      message.id, instance, message.interval_seconds, clock,
      interval '1 millisecond' * coalesce(message.delay_typing_ms, 0)
    ) e;
  else
    insert into public.message_queue (message_id, instance_id, scheduled_at, due_at)
    values (message.id, message.instance_id, clock, clock);
  end if;
  update public.messages m
  set status = 'queued', scheduled_for = requeued.slot, held_by = requeued.held_by,
    is_known_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null
  from (select slot, held_by) as requeued
  where m.id = message.id;
end;
$$;
revoke all on function public.requeue_message(public.messages) from public, anon, authenticated;
grant execute on function public.requeue_message(public.messages) to service_role;

-- source: supabase/schemas/functions/retry_unconfirmed.sql
-- Sends again what stayed unconfirmed for 15 minutes, on instances that chose so (onUnconfirmed =
-- `retry`; decisions, section 5) and while attempts are left; not after a day: what was held back for
-- long is a person's to send again, one by one. A message that cannot be queued now (its window never
-- opens) stays, and stops no other. Bounded by `request`.maxMessages a call. Returns {requeued}: how
-- many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  max_messages constant integer := (request->>'maxMessages')::integer;
  message public.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from public.instances i
    -- Instance by instance: what is unconfirmed on all that hold it is not read.
    cross join lateral (
      select u.* from public.messages u
      where u.instance_id = i.id
        and u.status = 'unconfirmed'
        and u.unconfirmed_at <= clock - interval '15 minutes'
        and u.unconfirmed_at > clock - interval '1 day'
        and u.attempts < 6
      order by u.unconfirmed_at
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
    -- Pacing rows are locked one after the other: by instance, as everywhere.
    order by i.id, m.unconfirmed_at
    limit max_messages
  loop
    begin
      perform public.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;
revoke all on function public.retry_unconfirmed(jsonb) from public, anon, authenticated;
grant execute on function public.retry_unconfirmed(jsonb) to service_role;

-- source: supabase/schemas/functions/wake_sleepers.sql
-- A belt over the wake-ups: finds instances that are due never although messages wait in their queue
-- and puts them right. Nothing should ever need it; what it mends is logged by the dispatcher.
-- Bounded by `request`.maxInstances a call. Returns {woken}: how many.
-- Goes from instance to instance of message_queue_head, so that neither the queues' lengths nor the
-- instances with an empty one cost anything.
create or replace function public.wake_sleepers(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  sleepers uuid[];
begin
  select array_agg(s.instance_id order by s.instance_id) into sleepers
  from (
    with recursive queued as (
      (
        select q.instance_id from public.message_queue q
        where q.due_at is null
        order by q.instance_id
        limit 1
      )
      union all
      select (
        select q.instance_id from public.message_queue q
        where q.due_at is null and q.instance_id > before.instance_id
        order by q.instance_id
        limit 1
      )
      from queued before
      where before.instance_id is not null
    )
    select d.instance_id
    from queued
    join public.dispatch d on d.instance_id = queued.instance_id
    cross join lateral public.head_of_queue(d.instance_id) as head
    where d.in_flight is null and d.next_due_at = 'infinity'
    limit (request->>'maxInstances')::integer
  ) as s;
  if sleepers is null then
    return jsonb_build_object('woken', 0);
  end if;
  perform from public.pacing p
  where p.instance_id = any (sleepers) order by p.instance_id for no key update;
  perform public.refresh_dispatch(sleepers);
  return jsonb_build_object('woken', cardinality(sleepers));
end;
$$;
revoke all on function public.wake_sleepers(jsonb) from public, anon, authenticated;
grant execute on function public.wake_sleepers(jsonb) to service_role;

-- source: supabase/schemas/functions/purge_expired.sql
-- Deletes what nobody asks for any more, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after the 24 hours they hold, provider events after 30 days, delivery events
-- whose message never came after 7 days, outbox rows that were done after 7 days and dead ones, which
-- a person should see, after 90. Messages, contacts, notes and logs are the user's and stay.
-- Never waits for a lock. Returns {purged, isComplete}: false where a bound was met.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from public.idempotency_keys k
  where (k.scope, k.key) in (
    select e.scope, e.key from public.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  );
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from public.provider_events p
  where p.id in (
    select e.id from public.provider_events e
    where e.received_at <= clock - interval '30 days'
    order by e.received_at limit max_rows for update skip locked
  );
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from public.early_statuses s
  where (s.instance_id, s.provider_message_id, s.status) in (
    select e.instance_id, e.provider_message_id, e.status from public.early_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  );
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from public.outbox o
  where o.id in (
    select e.id from public.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  );
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from public.outbox o
  where o.id in (
    select e.id from public.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  );
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;
