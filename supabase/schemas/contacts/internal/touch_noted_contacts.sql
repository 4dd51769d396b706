-- Touches the contacts that this transaction has noted (see note_contact and record_message_change), and writes
-- what their last messages are. Before that, brings what it has noted of persons (see note_person) to their
-- contacts at other instances; a contact that another transaction holds is left to the dispatcher. The last step
-- of an RPC that locks anything.
-- `messaging.sent_contacts` holds `contact@instant,` for each message that was sent now, which is the contact's
-- last one. Of a contact that is noted otherwise too the messages are read anew.
create or replace function messaging.touch_noted_contacts()
returns void language plpgsql set search_path = '' as $$
declare
  noted text := current_setting('messaging.noted_persons', true);
  sent constant text := coalesce(current_setting('messaging.sent_contacts', true), '');
  touched messaging.contact_activity[];
begin
  if current_setting('messaging.idle_noted', true) <> '' then
    perform messaging.watch_idle_conversations();
  end if;
  if noted <> '' then
    perform set_config('messaging.noted_persons', '', true);
    perform messaging.tell_person(person.id::uuid)
    from unnest(string_to_array(rtrim(noted), ' ')) as person(id);
  end if;
  noted := coalesce(current_setting('messaging.noted_contacts', true), '');
  if sent <> '' then
    perform set_config('messaging.sent_contacts', '', true);
    if noted = '' then
      perform messaging.touch_contacts(
        array_agg(split_part(s, '@', 1)::uuid), array_agg(split_part(s, '@', 2)::timestamptz)
      )
      from string_to_table(rtrim(sent, ','), ',') as s;
      return;
    end if;
    noted := noted || regexp_replace(sent, '@[^,]*,', ' ', 'g');
  end if;
  if noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  touched := array(
    select t from messaging.touch_contacts(string_to_array(rtrim(noted), ' ')::uuid[]) as t
  );
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(touched);
end;
$$;

-- Writes into contact_activity what the last messages of these contacts are. The caller has locked their
-- rows, by touch_contacts. Of each contact it looks at the 50 newest messages; a reaction is none.
-- The channel tells an inbound message's time in whole seconds: one of the second in which we wrote
-- counts as the later one if it came after ours.
-- Plans must not depend on statistics.
create or replace function messaging.read_last_messages(touched messaging.contact_activity[])
returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select t.contact_id, t.instance_id, t.updated_at, last.message_at,
    coalesce(
      last.inbound_at is not null and (
        last.outbound_at is null or last.inbound_at > last.outbound_at
        or last.inbound_at >= date_trunc('second', last.outbound_at)
          and last.inbound_stored_at >= last.outbound_at
      ),
      false
    )
  from unnest(touched) as t
  cross join lateral (
    select max(m.sent_at) as message_at,
      max(m.sent_at) filter (where m.direction = 'inbound') as inbound_at,
      max(m.created_at) filter (where m.direction = 'inbound') as inbound_stored_at,
      max(m.sent_at) filter (where m.direction = 'outbound') as outbound_at
    from (
      select n.*
      from unnest(messaging.merged_contact_ids(t.contact_id)) as own(contact_id)
      cross join lateral (
        select r.sent_at, r.created_at, r.direction
        from messaging.messages r
        where r.contact_id = own.contact_id and r.sent_at is not null
          and r.message_type <> 'reaction'
        order by r.sent_at desc
        limit 50
      ) as n
      order by n.sent_at desc
      limit 50
    ) as m
  ) as last
  on conflict on constraint contact_activity_pkey do update
  set last_message_at = excluded.last_message_at, awaits_reply = excluded.awaits_reply;
end;
$$;

-- touch_noted_contacts: watches the silences that begin with the messages that this transaction has noted in
-- messaging.idle_noted (see record_message_change): `contact@instant@awaiting@message,` each. The newest
-- message of a conversation counts. Locks their rows of idle_watches in the order of the contacts.
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
