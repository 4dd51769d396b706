-- The row of a batch as the creating call asks for it; without recipients, not stored. `request` as in
-- create_batch.
create or replace function messaging.new_batch(request jsonb)
returns messaging.batches language plpgsql volatile set search_path = '' as $$
declare
  batch messaging.batches;
begin
  batch.id := gen_random_uuid();
  batch.instance_id := request->>'instanceId';
  batch.name := request->>'name';
  batch.status := 'draft';
  batch.source := request->'source';
  batch.purpose := request->>'purpose';
  batch.validation := request->>'validation';
  batch.follows_pace := request->>'intervalSeconds' is null;
  batch.interval_seconds := coalesce(
    (request->>'intervalSeconds')::integer, messaging.default_interval_seconds()
  );
  batch.start_at := date_trunc('milliseconds', (request->>'startAt')::timestamptz);
  -- No request leaves when its payment ends within the five minutes that it must have.
  batch.expires_at := least(
    (request->>'expiresAt')::timestamptz,
    (request->'source'->'message'->'payment'->>'expiresAt')::timestamptz - messaging.payment_lead()
  );
  batch.seed := md5(concat_ws(
    ' ', batch.instance_id, batch.name, batch.source, batch.interval_seconds, batch.start_at
  ));
  batch.recipient_count := 0;
  batch.pending_count := 0;
  batch.skipped_count := 0;
  batch.first_pending := 0;
  batch.known_from := 0;
  batch.turns := 0;
  batch.counted_from := 1;
  batch.file_ids := '{}';
  batch.created_at := date_trunc('milliseconds', clock_timestamp());
  return batch;
end;
$$;
