-- Adds entries of a list to a draft, in order. `request`: entries, errors, idempotency. `entries`: [{phone | userId | contactId, reason, cardId, draft}];
-- those with a reason are kept as skipped, with the contact of the person that they name, if any. The second entry of a contact, in whatever spelling, is a
-- duplicate: it is skipped too, and named in `duplicates` with the one that is written to.
-- The index of an entry is its place in the whole list, from 0.
-- `errors` ([{index, issues}]) come with their places in the call, and are returned with their indexes.
-- Returns the outcome {batchId, status, added, duplicates, errors}, which it keeps: see keep_outcome.
-- Locks what add_entry_contacts locks, the files, then the batch.
-- Errors: MI028 (no draft), MI029 (more than 100,000), MI051 to MI054 (see take_batch_files), MI055.
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
  ));
end;
$$;
