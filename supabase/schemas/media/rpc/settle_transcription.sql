-- Records the words of a voice message, or that there are none, with its outbox row; the agent's answer
-- waits for them no longer. `request`: outboxId, claimToken, mediaId, outcome (done | retry), transcript
-- (NULL for none), error (a code). Returns {status} of the outbox row, NULL where the claim was lost.
create or replace function public.settle_transcription(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  row_status text;
begin
  row_status := public.settle_outbox(request)->>'status';
  if row_status is null then
    return jsonb_build_object('status', null);
  end if;
  if request->>'transcript' is not null then
    update messaging.media m
    set transcript = request->>'transcript'
    where m.id = (request->>'mediaId')::uuid and m.status = 'stored';
  end if;
  if row_status <> 'pending' then
    perform messaging.release_agent_reply((request->>'mediaId')::uuid);
  end if;
  return jsonb_build_object('status', row_status);
end;
$$;
