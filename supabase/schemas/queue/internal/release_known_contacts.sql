-- These contacts have written, for the first time as far as the caller knows: what WhatsApp's lock on new chats holds
-- for them (see locks_new_chat) leaves at the next slot. Reads one row for each where no lock is active.
-- A claim that has found them new just now is seen, as it holds pacing or the message until it ends.
-- The caller holds the contacts. Locks the messages in the order of their ids, then pacing, then dispatch.
create or replace function messaging.release_known_contacts(contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  locked uuid[];
  waiting uuid[];
  instance_ids uuid[];
begin
  locked := array(
    select c.id
    from messaging.contacts c
    cross join lateral messaging.dispatch_of(c.instance_id) as d
    where c.id = any (contact_ids) and d.new_chats_locked_until > clock_timestamp()
  );
  if locked = '{}' then
    return;
  end if;
  -- By messages_history: what has not left has no sent_at. Also what is not held yet: a claim may be about to hold it.
  waiting := array(
    select m.id
    from messaging.messages m
    where m.contact_id = any (array(
        select own.id
        from unnest(locked) as c(id)
        cross join lateral unnest(messaging.merged_contact_ids(c.id)) as own(id)
      ))
      and m.sent_at is null and m.status = 'queued'
    order by m.id
    for no key update
  );
  if waiting = '{}' then
    return;
  end if;
  instance_ids := array(
    select p.instance_id from messaging.pacing p
    where p.instance_id = any (array(
      select c.instance_id from messaging.contacts c where c.id = any (locked)
    ))
    order by p.instance_id
    for no key update
  );
  perform messaging.release_messages(
    waiting, 'new_contacts', date_trunc('milliseconds', clock_timestamp())
  );
  perform messaging.refresh_dispatch(instance_ids);
end;
$$;
