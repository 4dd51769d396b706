-- Holds instances that accept messages and confirm none any more (see is_suspect), until something is
-- confirmed or received, or an operator releases them; and releases those that have confirmed. An
-- instance that is held, disconnected or connected to a wrong phone already is left alone. `request`: maxInstances.
-- Returns {held, released}: how many. Looks at the newest messages of each instance, in their index:
-- called once a run of the dispatcher. Without jit: see rescue_stalled_instances.
-- Locks as set_operator_hold; never waits for pacing.
create or replace function public.hold_suspects(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  released constant integer := messaging.trust_confirmed_instances();
  held uuid[];
begin
  select array_agg(l.instance_id) into held
  from (
    select p.instance_id
    from messaging.dispatch d
    cross join lateral (
      -- Most instances have sent nothing lately, or their last message is confirmed.
      select m.status, m.sent_at
      from messaging.messages m
      where m.instance_id = d.instance_id and m.direction = 'outbound' and m.sent_at is not null
        and m.status <> 'failed'
      order by m.sent_at desc
      limit 1
    ) as last
    join messaging.pacing p on p.instance_id = any (array[d.instance_id])
    where messaging.stopped_until(d) <= clock
      and last.status = 'sent' and last.sent_at > clock - interval '1 day'
      and messaging.is_suspect(d.instance_id, d.trusted_from, clock)
    order by p.instance_id
    limit (request->>'maxInstances')::integer
    for no key update of p skip locked
  ) as l;
  if held is not null then
    perform messaging.set_operator_hold(held, 'infinity', 'suspect');
    update messaging.dispatch d
    set suspected_at = clock
    where d.instance_id = any (held);
    perform messaging.tell_hold(i, 'operator_hold', true, clock)
    from messaging.instances i
    where i.id = any (held);
  end if;
  return jsonb_build_object('held', coalesce(cardinality(held), 0), 'released', released);
end;
$$;

-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count. Nor do reactions, which no channel has to
-- confirm: the official one never does.
-- Reads the newest messages and events, in their indexes.
create or replace function messaging.is_suspect(
  instance_id uuid, trusted_from timestamptz, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  streak constant integer := 20;
  ids uuid[];
  has_confirmed boolean;
  first_at timestamptz;
begin
  select array_agg(newest.id), bool_or(newest.is_confirmed), min(newest.sent_at)
  into ids, has_confirmed, first_at
  from (
    select recent.*
    from (
      -- What a person typed on the phone came from the channel: it is alive.
      select m.id, m.sent_at, m.message_type, m.status <> 'sent' or m.is_typed_on_phone as is_confirmed
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed'
      order by m.sent_at desc
      limit 200
    ) as recent
    where recent.message_type <> 'reaction'
    order by recent.sent_at desc
    limit streak
  ) as newest;
  if coalesce(cardinality(ids), 0) < streak or has_confirmed
    or first_at > clock - interval '10 minutes' or first_at <= trusted_from then
    return false;
  end if;
  return not messaging.has_confirmed_after(instance_id, ids) and exists (
    select from (
      select m.status
      from messaging.messages m
      where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
        and m.sent_at is not null and m.status <> 'failed' and m.id <> all (ids)
        and m.sent_at <= first_at
      order by m.sent_at desc
      limit 1000
    ) as earlier
    where earlier.status in ('delivered', 'read')
  );
end;
$$;

-- Whether an instance's channel has delivered anything after the first of these messages was sent, see
-- proves_channel. By the order of the newest 500 events; where they do not reach back to that message, of these.
create or replace function messaging.has_confirmed_after(instance_id uuid, message_ids uuid[])
returns boolean language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  return exists (
    with newest as materialized (
      select e.sequence, e.type, (e.message).id as message_id,
        messaging.proves_channel(e.type, (e.message).direction) as is_proof
      from messaging.events e
      where e.instance_id = has_confirmed_after.instance_id
      order by e.sequence desc
      limit 500
    )
    select from newest n
    where n.is_proof
      and n.sequence > coalesce(
        (
          select min(f.sequence) from newest f
          where f.type = 'message.sent' and f.message_id = any (message_ids)
        ),
        0
      )
  );
end;
$$;
