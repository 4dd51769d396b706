-- How many recipients of a batch have each status (see recipient_status). Reads the batch's messages, and
-- of its recipients those alone whose message does not tell it: a pause took it out of the queue, or is to be
-- tried again, and they are pending; or they have been skipped since.
create or replace function messaging.batch_counts(batch messaging.batches)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  waiting_as constant text := messaging.recipient_status(
    batch, jsonb_populate_record(null::messaging.batch_recipients, '{"status": "pending"}'), null
  );
  counts jsonb := '{
    "pending": 0, "queued": 0, "awaitingReply": 0, "sent": 0, "delivered": 0, "read": 0, "failed": 0, "unconfirmed": 0,
    "canceled": 0, "expired": 0, "skipped": 0
  }';
begin
  select counts || coalesce(jsonb_object_agg(told.status, told.number), '{}') into counts
  from (
    select counted.status, sum(counted.number) as number
    from (
      select case
          when m.status = 'sending' then 'queued'
          when m.status = 'queued' and m.held_by = 'awaiting_reply' then 'awaitingReply'
          else m.status
        end as status,
        count(*) as number
      from messaging.messages m
      where m.batch_id = batch.id
      group by 1
      union all
      select case m.status when 'sending' then 'queued' else m.status end, -count(*)
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.status <> 'accepted' and r.message_id is not null
      group by m.status
      union all
      select waiting_as, batch.pending_count
      union all
      select 'skipped', batch.skipped_count
    ) as counted
    group by counted.status
  ) as told;
  return counts;
end;
$$;
