-- Adds entries of a list to a draft, in order. `request`: entries, errors, idempotency. `entries`: [{phone |
-- userId | contactId, reason, cardId, draft}]; those with a reason are kept as skipped, with the contact of
-- the person that they name, if any. The second entry of a contact, in whatever spelling, is a duplicate: it
-- is skipped too, and named in `duplicates` with the one that is written to. The index of an entry is its
-- place in the whole list, from 0.
-- `errors` ([{index, issues}]) come with their places in the call, and are returned with their indexes.
-- Returns the outcome {batchId, status, added, duplicates, errors}, with sealedNotify where the batch asks and tells
-- the ends of its questions, which it keeps: see keep_outcome.
-- Locks what add_entry_contacts locks, the files, then the batch.
-- Errors: MI028 (no draft), MI029 (more than 100,000), MI051 to MI054 (see take_batch_files), MI055,
-- MI094 (see bound_payment_followers).
-- Over 80 lines: what is inserted, its counts and its duplicates are one statement, which judges each entry once.
create or replace function messaging.add_recipients(batch_id uuid, request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  entries constant jsonb := request->'entries';
  of_instance constant uuid := (
    select b.instance_id from messaging.batches b where b.id = add_recipients.batch_id
  );
  batch messaging.batches;
  contact_ids uuid[];
  file_ids uuid[];
  added integer;
  skipped integer;
  duplicates jsonb;
begin
  perform messaging.take_denial_hashes(request);
  contact_ids := messaging.add_entry_contacts(of_instance, entries);
  file_ids := messaging.take_batch_files(of_instance, add_recipients.batch_id, entries);
  select b.* into strict batch from messaging.batches b
  where b.id = add_recipients.batch_id
  for no key update;
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  if batch.recipient_count + jsonb_array_length(entries) > 100000 then
    raise exception using errcode = 'MI029', message = 'too_many_recipients';
  end if;
  if batch.source ? 'paymentReference' then
    perform messaging.bound_payment_followers(
      of_instance, array(
        select e->'draft'->>'paymentReference' from jsonb_array_elements(entries) as e
        where e->>'reason' is null
      )
    );
  end if;
  with listed as (
    select batch.recipient_count + e.place::integer - 1 as index, e.entry,
      contact_ids[e.place::integer] as contact_id
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
  ),
  judged as (
    select l.*, coalesce(
      (
        select min(r.index) from messaging.batch_recipients r
        where r.contact_id = l.contact_id and r.batch_id = add_recipients.batch_id
          and r.status <> 'skipped'
      ),
      nullif(
        min(l.index) filter (where l.entry->>'reason' is null) over (partition by l.contact_id),
        l.index
      )
    ) as of_index
    from listed l
  ),
  stored as (
    insert into messaging.batch_recipients (
      batch_id, index, contact_id, phone, status, reason, draft, card_id
    )
    select add_recipients.batch_id, j.index, j.contact_id, j.entry->>'phone',
      case when told.reason is null then 'pending' else 'skipped' end, told.reason,
      case when told.reason is null then j.entry->'draft' end, coalesce(j.entry->'draft'->>'cardId', j.entry->>'cardId')
    from judged j
    cross join lateral (
      select case
        when j.entry->>'reason' is not null then j.entry->>'reason'
        when j.contact_id is null then 'contact_not_found'
        when j.of_index is not null then 'duplicate_contact'
      end as reason
    ) as told
    returning index, reason
  )
  select count(*) filter (where s.reason is null), count(s.reason),
    coalesce(
      jsonb_agg(jsonb_build_object('index', s.index, 'of', j.of_index) order by s.index)
        filter (where s.reason = 'duplicate_contact'),
      '[]'
    )
  into added, skipped, duplicates
  from stored s
  join judged j on j.index = s.index;
  update messaging.batches b
  set recipient_count = b.recipient_count + added + skipped,
    pending_count = b.pending_count + added,
    skipped_count = b.skipped_count + skipped,
    file_ids = array(select distinct f from unnest(b.file_ids || add_recipients_files.ids) as f)
  from (select file_ids as ids) as add_recipients_files
  where b.id = add_recipients.batch_id;
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', batch.id,
    'status', batch.status,
    'added', added,
    'duplicates', duplicates,
    'errors', (
      select coalesce(
        jsonb_agg(e || jsonb_build_object('index', batch.recipient_count + (e->>'index')::integer)), '[]'
      )
      from jsonb_array_elements(request->'errors') as e
    )
  ) || case
    when batch.source->'ask'->>'sealedNotify' is not null
    then jsonb_build_object('sealedNotify', batch.source->'ask'->'sealedNotify')
    else '{}'
  end);
end;
$$;

-- add_recipients: takes the files that a batch's messages name (see take_media), so that they stay for as long as
-- somebody may get them: that of its message, and those of the templates in `entries` (see add_recipients), by
-- themselves or in a ladder. Returns their ids. Locks the files in the order of their ids.
-- Errors: MI051 to MI054.
create or replace function messaging.take_batch_files(
  instance_id uuid, batch_id uuid, entries jsonb
) returns uuid[] language plpgsql set search_path = '' as $$
declare
  file_ids constant uuid[] := array(
    select distinct named.id::uuid
    from (
      select b.source->'message'->>'mediaId' as id
      from messaging.batches b
      where b.id = take_batch_files.batch_id
      union all
      select e->'draft'->>'mediaId' from jsonb_array_elements(entries) as e
      union all
      select f.id::text
      from jsonb_array_elements(entries) as e
      cross join unnest(messaging.ladder_files(e->'draft'->'ladder')) as f(id)
      where e->'draft' ? 'ladder'
    ) as named
    where named.id is not null
    order by 1
  );
  file_id uuid;
begin
  foreach file_id in array file_ids loop
    perform messaging.take_media(take_batch_files.instance_id, file_id);
  end loop;
  return file_ids;
end;
$$;

-- Gives each person of a list a contact and a conversation, as resolve_recipient and resolve_conversation
-- do for one, in a few statements for all. `entries`: [{phone | userId | contactId}]; those that name
-- nobody are passed over, and so are unknown contactIds. The contacts cannot be merged until the caller
-- commits: it holds their rows.
-- Locks: addresses of new contacts, contacts in the order of their ids, contact_activity.
-- Returns the contact of each entry, in order; NULL where it has none.
-- Errors: MI055 where a contact was merged meanwhile; the call must be repeated.
create or replace function messaging.add_entry_contacts(of_instance uuid, entries jsonb)
returns uuid[] language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  found_ids uuid[];
  new_ids uuid[];
  given text[];
  touched uuid[];
  locked integer;
begin
  found_ids := messaging.entry_contacts(of_instance, entries);
  given := array(
    select distinct coalesce(e.entry->>'phone', e.entry->>'userId')
    from jsonb_array_elements(entries) with ordinality as e(entry, place)
    where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
      and found_ids[e.place::integer] is null
  );
  if cardinality(given) > 0 then
    perform messaging.lock_addresses(of_instance, given);
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (person.identity_key)
        of_instance, case when messaging.is_phone(g.given) then g.given end, person.identity_key, 'api'
      from unnest(given) as g(given)
      cross join lateral (select messaging.phone_identity_key(g.given)) as person(identity_key)
      -- An event that has just shown the address has made its contact.
      where messaging.entry_contact(of_instance, null, person.identity_key) is null
      order by person.identity_key, g.given
      on conflict on constraint contacts_identity do nothing
      returning id, phone, identity_key
    ), hidden as (
      insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
      select of_instance, c.identity_key, c.id, '-infinity' from created c where c.phone is null
    )
    select array_agg(c.id) into new_ids from created c;
    perform messaging.record_new_contacts(new_ids);
    found_ids := messaging.entry_contacts(of_instance, entries);
  end if;
  perform from messaging.contacts c
  where c.id = any (found_ids) and c.merged_into is null
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if locked <> (select count(distinct f.id) from unnest(found_ids) as f(id))
    or exists (
      select from jsonb_array_elements(entries) with ordinality as e(entry, place)
      where coalesce(e.entry->>'phone', e.entry->>'userId') is not null
        and found_ids[e.place::integer] is null
    ) then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  with added as (
    insert into messaging.conversations (instance_id, contact_id)
    select of_instance, lacking.id
    from (select distinct f.id from unnest(found_ids) as f(id) where f.id is not null) as lacking
    where not exists (select from messaging.conversations v where v.contact_id = lacking.id)
    order by lacking.id
    on conflict do nothing
    returning contact_id
  )
  select array_agg(a.contact_id) into touched from added a;
  if touched is not null then
    perform messaging.touch_contacts(touched);
  end if;
  return found_ids;
end;
$$;
