set local check_function_bodies = off;

-- The phone to show for a contact: the one first given, unless the contact has announced another
-- number and has not written from an earlier one since. NULL for a contact that never showed a phone.
-- Only addresses of digits are phones: a changed user id is none, and who writes under a user id or LID
-- has taken no announced number back.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select case when newest.changed_by is not null then newest.address end
      from (
        select a.address, a.changed_by
        from messaging.contact_addresses a
        where a.contact_id = contact.id and a.address ~ '^[0-9]+$'
        order by a.proven_at desc
        limit 1
      ) as newest
    ),
    contact.phone
  );
end;
$$;
revoke all
on function messaging.contact_display_phone(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.contact_display_phone(messaging.contacts) to service_role;

-- Records an event for each of these messages, in the order given, with the state of the message now (see
-- message_snapshot). `types`: the event of the message at the same place, or the one type of all; a
-- message may be named several times. A message that is `delivered` or `read` already is described in
-- its message.sent as it was when it was sent: see message_event_data.
-- `is_claimed`: whether the messages are still in a worker's hands.
-- Call it when the messages are changed, and so locked. None of them waits in the queue.
-- Plans must not depend on statistics: "offset 0" keeps each look-up to itself.
create or replace function messaging.record_message_events(
  message_ids uuid[],
  types text[],
  is_claimed boolean default false
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(message_ids), 0) = 0 then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select m.instance_id from messaging.messages m where m.id = any (message_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, message)
  select m.instance_id, m.contact_id, told.type, row(
      m.id, m.direction,
      case when is_claimed and m.status = 'queued' then 'sending' else m.status end,
      m.message_type, m.message, case when told.type = 'message.received' then m.content end,
      m.card_id, m.metadata, m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for,
      m.held_by, m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at,
      m.attempts + is_claimed::integer, m.last_error, c.name, c.phone,
      case when told.type = 'message.received' then m.quoted_message_id end,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot
  from unnest(message_ids) with ordinality as named(message_id, place)
  cross join lateral (
    select types[case when cardinality(types) = 1 then 1 else named.place end] as type
  ) as told
  cross join lateral (
    select r.* from messaging.messages r where r.id = named.message_id offset 0
  ) as m
  cross join lateral (
    select p.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = p.id and a.address ~ '^[0-9]+$'
          order by a.proven_at desc
          limit 1
        ),
        p.phone
      ) as phone
    from messaging.contacts p
    where p.id = m.contact_id
    offset 0
  ) as c
  order by named.place;
end;
$$;
revoke all
on function messaging.record_message_events(uuid[], text[], boolean)
from public, anon, authenticated;
grant execute
on function messaging.record_message_events(uuid[], text[], boolean)
to service_role;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: the start of statements is most of what a settlement costs,
-- and these are plainer than those for several. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
  has_news boolean;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  -- The floor of the message's event, as hold_event_floor takes it, without a statement of its own.
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id),
    pg_advisory_xact_lock_shared(
      uuid_hash(q.instance_id),
      coalesce(pg_sequence_last_value('messaging.event_sequence'), 0)::bit(32)::integer
    )::text
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      -- As lock_provider_messages.
      or pg_advisory_xact_lock(
        hashtextextended(q.instance_id::text, 0) # (hashtext(provider_id) & 255)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  -- What came under the provider's id before the id was known.
  perform from messaging.unmatched_statuses u
  where u.instance_id = tenant and u.provider_message_id = provider_id
  union all
  select from messaging.messages e
  where e.instance_id = tenant and e.provider_message_id = provider_id and e.id <> settled
    and (e.is_typed_on_phone or e.confirmed_by_echo);
  has_news := found;
  with settled_row as (
    delete from messaging.message_queue q where q.message_id = settled
  ),
  sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(provider_id, m.provider_message_id),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = settled and c.id = addressee
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id and a.address ~ '^[0-9]+$'
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      null
    )::messaging.message_snapshot as message
  ),
  told as (
    insert into messaging.events (instance_id, contact_id, type, message)
    select s.instance_id, (s.message).contact_id, 'message.sent', s.message
    from sent s
  )
  -- As touch_addressees.
  update messaging.contact_activity a
  set updated_at = greatest(
      a.updated_at,
      -- As change_instant: the condition is the floor, which comes first.
      case
        when pg_advisory_xact_lock_shared(
          uuid_hash(a.instance_id) # 1163284301,
          (
            (floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648
          )::integer
        )::text is not null
          then date_trunc('milliseconds', clock_timestamp())
      end
    ),
    last_message_at = greatest(a.last_message_at, clock),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > clock, false)
  where a.contact_id = addressee and not has_news;
  if has_news then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
    perform messaging.note_contact(addressee);
  end if;
  return array[settled];
end;
$$;
revoke all
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
to service_role;

-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends. The caller settles the other results,
-- whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb,
  clock timestamptz,
  out settled uuid[],
  out settlements messaging.settlement[]
)
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
  ids uuid[];
  tokens uuid[];
  provider_ids text[];
  instances uuid[];
begin
  for place in 0..jsonb_array_length(results) - 1 loop
    result := results->place;
    ids := ids || (result->>'messageId')::uuid;
    tokens := tokens || (result->>'claimToken')::uuid;
    provider_ids := provider_ids || (result->>'providerMessageId');
  end loop;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        null, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1),
    array_agg(distinct locked.instance_id) filter (where locked.is_plain)
  into settled, settlements, instances
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      q.echo is null and m.status in ('queued', 'sending') as is_plain,
      m.agent_id is null and m.sent_by is distinct from 'ai_agent'
        and m.purpose is distinct from 'opt_out_confirmation' and m.batch_id is null as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = tokens[array_position(ids, q.message_id)]
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if settled is null then
    return;
  end if;
  delete from messaging.message_queue q where q.message_id = any (settled);
  perform messaging.hold_event_floors(instances);
  with sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(
        provider_ids[array_position(ids, m.id)], m.provider_message_id
      ),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    from messaging.contacts c
    where m.id = any (settled) and c.id = any (array[m.contact_id])
    returning m.instance_id, row(
      m.id, m.direction, m.status, m.message_type, m.message, null, m.card_id, m.metadata,
      m.contact_id, m.conversation_id, m.provider_message_id, m.scheduled_for, m.held_by,
      m.created_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.attempts, m.last_error,
      c.name,
      -- As contact_display_phone.
      coalesce(
        (
          select case when a.changed_by is not null then a.address end
          from messaging.contact_addresses a
          where a.contact_id = c.id and a.address ~ '^[0-9]+$'
          order by a.proven_at desc
          limit 1
        ),
        c.phone
      ),
      null,
      case when m.content is not null or m.media_id is not null then messaging.message_media(m.media_id, m.content) end,
      m.batch_id
    )::messaging.message_snapshot as message
  )
  insert into messaging.events (instance_id, contact_id, type, message)
  select s.instance_id, (s.message).contact_id, 'message.sent', s.message
  from sent s
  order by (s.message).id;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;
