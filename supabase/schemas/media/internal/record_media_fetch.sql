-- Records how the fetching of a file ended: what settle_media_fetch does but for the next file.
-- Locks the file, then the outbox row.
create or replace function messaging.record_media_fetch(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  outcome constant text := request->>'outcome';
  file messaging.media;
  row_status text;
  file_status text;
begin
  select m.* into file from messaging.media m
  where m.id = (request->>'mediaId')::uuid
  for no key update;
  if outcome = 'retry' and (request->>'isOutage')::boolean
    and file.created_at > clock - interval '1 day' then
    update messaging.outbox o
    set attempts = greatest(o.attempts - 1, 0)
    where o.id = (request->>'outboxId')::uuid
      and o.claim_token = (request->>'claimToken')::uuid and o.status = 'pending';
  end if;
  row_status := public.settle_outbox(
    jsonb_build_object(
      'outboxId', request->>'outboxId',
      'claimToken', request->>'claimToken',
      'outcome', case outcome when 'retry' then 'retry' else 'done' end,
      'error', request->'error'->>'code',
      'retryAfterMs', request->'retryAfterMs'
    )
  )->>'status';
  if row_status is null then
    return jsonb_build_object('status', null, 'isForgotten', false);
  end if;
  if file.id is null or file.status = 'expired' then
    return jsonb_build_object('status', 'expired', 'isForgotten', outcome = 'stored');
  end if;
  file_status := case
    when outcome <> 'retry' then outcome
    when row_status = 'dead' then 'failed'
    else 'pending'
  end;
  if outcome = 'stored' then
    update messaging.media m
    set status = 'stored', mime_type = request->>'mimeType', size = (request->>'size')::bigint,
      sha256 = request->>'sha256', stored_at = clock, last_error = null, source = null
    where m.id = file.id;
    if (request->>'asksTranscript')::boolean then
      insert into messaging.outbox (workspace_id, kind, payload)
      select i.workspace_id, 'media_transcription',
        jsonb_build_object('instanceId', i.id, 'mediaId', file.id)
      from messaging.instances i
      where i.id = file.instance_id;
      return jsonb_build_object('status', 'stored', 'isForgotten', false);
    end if;
  else
    -- The source stays with what has failed: a person may send it round again.
    update messaging.media m
    set status = file_status, last_error = request->'error',
      source = case when file_status = 'expired' then null else m.source end,
      storage_path = case when file_status = 'expired' then null else m.storage_path end
    where m.id = file.id;
    -- A former attempt may have left a part of it, where its worker was killed.
    if file_status <> 'pending' and exists (
      select from messaging.outbox o where o.id = (request->>'outboxId')::uuid and o.attempts > 1
    ) then
      perform messaging.delete_media_files(file.instance_id, array[file.storage_path], false);
    end if;
  end if;
  if file_status <> 'pending' and file.kind = 'audio' then
    perform messaging.release_agent_reply(file.id);
  end if;
  return jsonb_build_object('status', file_status, 'isForgotten', false);
end;
$$;
