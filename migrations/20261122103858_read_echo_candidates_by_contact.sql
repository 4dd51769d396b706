set local check_function_bodies = off;

-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes. A message in flight keeps the echo until its own outcome
-- tells whose it was (see resolve_pending_echo). Otherwise the echo confirms the oldest unconfirmed
-- message.
-- Media without a caption have no words: they match only a message in flight.
-- Returns whether the echo is ours, as far as is known.
-- Plans must not depend on statistics: "offset 0" reads the unsent messages of this contact by
-- messages_history, where the instance and the age would suggest all that the instance has lately stored.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.match_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  words constant text := btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'));
  candidate record;
begin
  -- A candidate may be settled before it is locked: then the next one is tried.
  for round in 1..10 loop
    select m.id, q.claim_token is not null as is_in_flight,
      q.echo->>'providerMessageId' as echoed_id
    into candidate
    from (
      select u.* from messaging.messages u
      where u.contact_id = match_echo.contact_id and u.sent_at is null
      offset 0
    ) as m
    left join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.instance_id = match_echo.instance_id
      and m.direction = 'outbound'
      and m.status in ('queued', 'sending', 'unconfirmed')
      and m.created_at > clock - interval '2 days'
      -- A retried message still has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (m.message is not null and m.unconfirmed_at > clock - interval '15 minutes')
      )
      -- Gateways trim whitespace.
      and btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
      and (m.message is not null or m.message_type = event->>'messageType')
    order by q.echo is null, q.claim_token is null, m.unconfirmed_at, m.created_at
    limit 1;
    if not found then
      return false;
    end if;
    if not candidate.is_in_flight then
      if messaging.confirm_by_echo(candidate.id, event) then
        return true;
      end if;
    elsif candidate.echoed_id is not null then
      return true;
    else
      update messaging.message_queue q set echo = event
      where q.message_id = candidate.id and q.claim_token is not null and q.echo is null;
      if found then
        return true;
      end if;
    end if;
  end loop;
  return false;
end;
$$;
revoke all on function messaging.match_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.match_echo(uuid, uuid, jsonb) to service_role;

-- purge_expired: deletes events that are older than 30 days, the oldest first, at most `max_rows`, and notes
-- how far each instance's feed is gone: a cursor before that has missed something. Numbers rise with
-- time, so it reads from the lowest number on, and no further than the rows that it may delete. Returns
-- how many it deleted. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_events(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  deleted integer;
begin
  with oldest as materialized (
    select e.ctid, e.recorded_at from messaging.events e
    order by e.sequence
    limit max_rows
  ), due as materialized (
    -- Locks only these: a lock writes its row, and mostly no row is due.
    select e.ctid from messaging.events e
    where e.ctid = any (array(
      select o.ctid from oldest o where o.recorded_at <= clock - interval '30 days'
    ))
    for update skip locked
  ), gone as (
    delete from messaging.events e
    where e.ctid = any (array(select d.ctid from due d))
    returning e.instance_id, e.sequence
  ), noted as (
    insert into messaging.event_streams as s (instance_id, purged_through)
    select g.instance_id, max(g.sequence)
    from gone g
    where exists (select from messaging.instances i where i.id = g.instance_id)
    group by g.instance_id
    order by g.instance_id
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through)
  )
  select count(*) into deleted from gone;
  return deleted;
end;
$$;
revoke all
on function messaging.purge_events(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_events(integer, timestamptz) to service_role;
