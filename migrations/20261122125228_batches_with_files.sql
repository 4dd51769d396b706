set local check_function_bodies = off;

-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances,
  batch messaging.batches,
  recipient_index integer
)
returns uuid
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  placed := messaging.enqueue_message(
    placed_id, instance, batch.interval_seconds, batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    update messaging.messages m
    set status = 'queued', scheduled_for = placed.slot, held_by = moved_by,
      confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
      unconfirmed_at = null
    where m.id = placed_id;
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content, card_id,
      mode, interval_seconds, status, scheduled_for, held_by, phone_given, metadata, purpose, batch_id,
      expires_at, media_id
    )
    select placed_id, instance.id, c.id, conversation.id, 'outbound', recipient.draft->>'messageType',
      recipient.draft->>'message', nullif(recipient.draft->'content', 'null'),
      recipient.draft->>'cardId', 'queued', batch.interval_seconds, 'queued', placed.slot,
      moved_by, nullif(recipient.phone, c.phone), nullif(recipient.draft->'metadata', 'null'),
      batch.purpose, batch.id, batch.expires_at, (recipient.draft->>'mediaId')::uuid
    from messaging.contacts c
    where c.id = recipient.contact_id;
  end if;
  update messaging.batch_recipients r
  set status = 'accepted', message_id = placed_id, draft = null
  where r.batch_id = batch.id and r.index = recipient.index;
  return placed_id;
end;
$$;
revoke all
on function messaging.place_batch_message(messaging.instances, messaging.batches, integer)
from public, anon, authenticated;
grant execute
on function messaging.place_batch_message(messaging.instances, messaging.batches, integer)
to service_role;

-- batches-api: a new draft, with its first recipients. `request`: instanceId, name, source, purpose,
-- validation, intervalSeconds, startAt, expiresAt, entries (see add_recipients), errors, idempotency (see begin_idempotent).
-- Returns {batchId, status, added, duplicates, errors}. Errors: MI007, MI008, MI051 to MI054 (the
-- message's file: see take_media), 40001.
create or replace function public.create_batch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed jsonb := messaging.begin_idempotent(request);
  batch constant messaging.batches := messaging.new_batch(request);
  stored record;
begin
  if replayed is not null then
    return replayed;
  end if;
  if batch.source->'message'->>'mediaId' is not null then
    perform messaging.take_media(
      batch.instance_id, (batch.source->'message'->>'mediaId')::uuid
    );
  end if;
  insert into messaging.batches select batch.*;
  stored := messaging.add_recipients(batch.id, request->'entries', request->'errors');
  return messaging.keep_outcome(request, jsonb_build_object(
    'batchId', batch.id,
    'status', (stored.batch).status,
    'added', stored.added,
    'duplicates', stored.duplicates,
    'errors', stored.errors
  ));
end;
$$;
revoke all on function public.create_batch(jsonb) from public, anon, authenticated;
grant execute on function public.create_batch(jsonb) to service_role;

-- media-api: records that an uploaded file lies whole in the storage. What no message names within 30
-- days, or within the instance's retention of files, expires.
-- `request`: instanceId, mediaId, size, sha256 (hex), idempotency (see begin_idempotent). The file of a
-- repeated call is deleted again: the first one's counts.
-- Returns {mediaId, mimeType, size, sha256, expiresAt}, or {replayed}. Errors: MI007, MI008, MI051 (the
-- upload took longer than its row is kept).
create or replace function public.finish_upload(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := (request->>'mediaId')::uuid;
  replayed constant jsonb := messaging.begin_idempotent(request);
  outcome jsonb;
begin
  if replayed is not null then
    perform messaging.forget_media(array[own_id]);
    return replayed;
  end if;
  update messaging.media m
  set status = 'stored', size = (request->>'size')::bigint, sha256 = request->>'sha256',
    stored_at = clock_timestamp(), 
    expires_at = clock_timestamp()
      + make_interval(days => least(30, coalesce(i.retention_media_days, 30)))
  from messaging.instances i
  where m.id = own_id and m.instance_id = (request->>'instanceId')::uuid and m.status = 'pending'
    and m.origin = 'upload' and i.id = m.instance_id
  returning jsonb_build_object(
    'mediaId', m.id,
    'mimeType', m.mime_type,
    'size', m.size,
    'sha256', m.sha256,
    'expiresAt', messaging.iso_in_zone(m.expires_at, i.time_zone)
  ) into outcome;
  if outcome is null then
    raise exception using errcode = 'MI051', message = 'media_not_found';
  end if;
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.finish_upload(jsonb) from public, anon, authenticated;
grant execute on function public.finish_upload(jsonb) to service_role;

comment on column messaging.batch_recipients.draft is
  '{messageType, message, content, mediaId, cardId, metadata}; NULL for a skipped entry with errors.';
