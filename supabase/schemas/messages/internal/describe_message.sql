-- The one record of a message, sent or received, with its contact, as messages-api reports it. A claim counts as
-- `sending`; what waits says when it may leave now, and what holds it (see expected_departure), or that its batch is
-- paused.
-- For a message that is known not to wait, message_record alone says the same without reading anything.
-- `budget_ends_at`: see reached_budget_ends_at; NULL where the caller has not asked.
create or replace function messaging.describe_message(
  message messaging.messages, budget_ends_at timestamptz default null
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  state record;
  shown messaging.messages := messaging.message_after_merge(message);
  record jsonb;
begin
  select i.time_zone, q.claim_token is not null as is_claimed,
    q.message_id is null and message.status = 'queued' and b.status = 'paused' as is_batch_paused,
    expected.*
  into strict state
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join messaging.batches b on b.id = message.batch_id
  left join lateral (
    select true as is_waiting, e.*
    from messaging.dispatch_of(i.id) as d
    cross join lateral messaging.expected_departure(
      q, message, i, d, coalesce(budget_ends_at, case
        when messaging.stopped_by_budget(i.budget, message.purpose, message.batch_id)
          then messaging.reached_budget_ends_at(i, clock_timestamp())
      end)
    ) as e
    where q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
  if state.is_waiting then
    shown.scheduled_for := state.leaves_at;
    shown.held_by := state.held_by;
  elsif state.is_batch_paused then
    shown.held_by := 'batch_paused';
  end if;
  record := messaging.message_record(shown, state.time_zone, state.is_claimed)
    || messaging.read_message_contact(shown.contact_id);
  if state.held_until is not null then
    record := record || messaging.shown_hold(
      state.hold_reason, state.hold_code, state.held_until, state.time_zone
    );
  end if;
  if message.media_id is null then
    return record;
  end if;
  return record || messaging.message_media(message.media_id, message.content)
    || messaging.received_file_error(message);
end;
$$;
