-- Part of an erasure: deletes at most `max_rows` of a contact's messages with all that hangs on them, and
-- keeps hashes of their ids where a webhook may still name them (see erased_messages).
-- A message that a worker holds stays until it is settled or its lease is over: its outcome, and the echo
-- that some channels send of it, must find it. `is_unsent_only`: only those that have not left.
-- Their files go with them, unless others have got the same ones. The recipients of batches whose messages they
-- were are skipped from now on: the erasure may have to wait for another message.
-- Returns {messages, media, phones}: how many, and the spellings of the phone that their calls used.
-- Locks the messages in the order of their ids, then pacing where one waited, then the batches; the queue's rows go
-- by cascade. A message of the queue with a lease that is over may be its instance's one in flight: the instance
-- goes on.
create or replace function messaging.erase_messages(
  contact messaging.contacts, max_rows integer, is_unsent_only boolean default false
) returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  ids uuid[];
  waited boolean;
  files uuid[];
  erased jsonb;
begin
  ids := array(
    select m.id from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(contact.id)) and (not is_unsent_only or m.sent_at is null)
      and not exists (
        select from messaging.message_queue q where q.message_id = m.id and q.lease_until > clock
      )
    limit max_rows
  );
  perform from messaging.messages m where m.id = any (ids) order by m.id for update;
  -- A worker may have claimed some while this waited for their locks.
  ids := array(
    select named.id from unnest(ids) as named(id)
    where not exists (
      select from messaging.message_queue q where q.message_id = named.id and q.lease_until > clock
    )
  );
  waited := exists (select from messaging.message_queue q where q.message_id = any (ids));
  if waited then
    perform from messaging.pacing p where p.instance_id = contact.instance_id for no key update;
  end if;
  insert into messaging.erased_messages (instance_id, id_hash)
  select contact.instance_id, messaging.message_id_hash(named.id)
  from messaging.messages m
  cross join lateral (values (m.id::text), (m.provider_message_id)) as named(id)
  where m.id = any (ids) and named.id is not null and m.created_at > clock - interval '30 days'
  order by 2
  on conflict do nothing;
  delete from messaging.unmatched_statuses s
  where s.instance_id = contact.instance_id and s.provider_message_id = any (array(
    select m.provider_message_id from messaging.messages m
    where m.id = any (ids) and m.provider_message_id is not null
  ));
  files := messaging.media_of_messages(ids);
  perform messaging.settle_usage_notes(contact.instance_id, ids);
  delete from messaging.budget_under_way b where b.message_id = any (ids);
  delete from messaging.free_service_messages f where f.message_id = any (ids);
  delete from messaging.payments p where p.message_id = any (ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids) returning m.phone_given
  )
  select jsonb_build_object(
    'messages', count(*),
    'phones', coalesce(jsonb_agg(distinct g.phone_given) filter (where g.phone_given is not null), '[]')
  )
  into erased
  from gone g;
  erased := erased || jsonb_build_object('media', messaging.forget_media(files));
  if waited then
    perform messaging.release_instances(array[jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', d.in_flight, 'instance_id', d.instance_id, 'lane', 'paced'
      )
    )])
    from messaging.dispatch d
    where d.instance_id = contact.instance_id and d.in_flight = any (ids);
    perform messaging.refresh_dispatch(array[contact.instance_id]);
  end if;
  perform messaging.skip_recipients(left_out.places, 'contact_erased')
  from (
    select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index)) as places
    from messaging.batch_recipients r
    where r.contact_id = contact.id and r.message_id = any (ids) and r.status = 'accepted'
  ) as left_out
  where left_out.places is not null;
  return erased;
end;
$$;
