-- Watches the silences that begin with the messages that this transaction has noted in messaging.idle_noted (see
-- record_message_change): `contact@instant@awaiting@message,` each. The newest message of a conversation counts.
-- Locks their rows of idle_watches in the order of the contacts.
create or replace function messaging.watch_idle_conversations()
returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  noted constant text := current_setting('messaging.idle_noted', true);
  watches messaging.idle_watches[];
begin
  perform set_config('messaging.idle_noted', '', true);
  watches := array(
    select row(
      newest.contact_id, v.instance_id, v.id, newest.awaiting, newest.since,
      newest.message_id, messaging.idle_due_at(i.idle, newest.awaiting, newest.since, newest.since)
    )::messaging.idle_watches
    from (
      select distinct on (living.id) living.id as contact_id, part.fields[3] as awaiting,
        part.fields[2]::timestamptz as since, part.fields[4]::uuid as message_id
      from string_to_table(rtrim(noted, ','), ',') with ordinality as n(entry, place)
      cross join lateral (select string_to_array(n.entry, '@')) as part(fields)
      cross join lateral (
        select coalesce(c.merged_into, c.id) from messaging.contacts c
        where c.id = part.fields[1]::uuid
        offset 0
      ) as living(id)
      order by living.id, part.fields[2]::timestamptz desc, n.place desc
    ) as newest
    cross join lateral (
      select own.id, own.instance_id from messaging.conversations own
      where own.contact_id = newest.contact_id
      offset 0
    ) as v
    cross join lateral (
      select own.idle from messaging.instances own where own.id = v.instance_id offset 0
    ) as i
    order by newest.contact_id
  );
  insert into messaging.idle_watches as w
  select watched.*
  from unnest(watches) as watched
  where watched.due_at is not null
  order by watched.contact_id
  on conflict on constraint idle_watches_pkey do update
  set conversation_id = excluded.conversation_id, awaiting = excluded.awaiting,
    since = excluded.since, last_message_id = excluded.last_message_id, due_at = excluded.due_at
  where w.since <= excluded.since;
  delete from messaging.idle_watches w
  using unnest(watches) as watched
  where watched.due_at is null and w.contact_id = any (array[watched.contact_id])
    and w.since <= watched.since;
end;
$$;
