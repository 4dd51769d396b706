-- merge_contacts: what batches have for `gone` is for `kept` now. Where both are in one batch, only one is
-- written to: one that has been already or is about to be, else one whose message waits, else the first of the
-- list. The others are skipped, and their waiting messages canceled.
-- The caller holds both contacts. Locks the messages, pacing, dispatch, the batches. A queue row that
-- somebody else holds is about to be sent, and stays.
create or replace function messaging.move_recipients(kept uuid, gone uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  doubled jsonb;
  waiting uuid[];
begin
  update messaging.batch_recipients r set contact_id = kept where r.contact_id = gone;
  if not found then
    return;
  end if;
  -- In the product's order, and before they are looked at.
  perform from messaging.messages m
  where m.id = any (array(
    select r.message_id from messaging.batch_recipients r
    where r.contact_id = kept and r.message_id is not null
  )) and m.status = 'queued'
  order by m.id
  for no key update;
  with listed as (
    select r.batch_id, r.index, r.message_id, case
        when r.status = 'pending' then 2
        when exists (
          select from messaging.message_queue q
          where q.message_id = r.message_id and q.claim_token is null
        ) then 1
        else 0
      end as rank
    from messaging.batch_recipients r
    where r.contact_id = kept and r.status <> 'skipped'
  ),
  ranked as (
    select l.*, row_number() over (partition by l.batch_id order by l.rank, l.index) as place
    from listed l
  )
  select jsonb_agg(to_jsonb(k)), array_agg(k.message_id) filter (where k.rank = 1)
  into doubled, waiting
  from ranked k
  where k.place > 1 and k.rank > 0;
  if waiting is not null then
    waiting := messaging.end_queued_messages(waiting, 'canceled');
  end if;
  doubled := (
    select jsonb_agg(jsonb_build_object('batch', d->'batch_id', 'index', d->'index'))
    from jsonb_array_elements(doubled) as d
    where d->>'rank' = '2' or (d->>'message_id')::uuid = any (waiting)
  );
  if doubled is not null then
    perform messaging.skip_recipients(doubled, 'duplicate_contact');
  end if;
end;
$$;
