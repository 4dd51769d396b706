-- Whether an instance is suspect: of the messages that its provider has accepted, the newest 20 have no
-- confirmation, the first of them left more than ten minutes ago, and nothing was confirmed or received
-- since, though the instance had confirmations before. Such a gateway says that it is connected, and
-- delivers nothing. `trusted_from`: what left before does not count.
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
    -- What a person typed on the phone came from the channel: it is alive.
    select m.id, m.sent_at, m.status <> 'sent' or m.is_typed_on_phone as is_confirmed
    from messaging.messages m
    where m.instance_id = is_suspect.instance_id and m.direction = 'outbound'
      and m.sent_at is not null and m.status <> 'failed'
    order by m.sent_at desc
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
