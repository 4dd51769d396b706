-- Lets a message that is in no queue go on by its ladder, as `decided` (see climb_ladder): back into the queue,
-- as its own mode would; or it waits for an answer; or it fails, where no rung is left. `error`: what the channel
-- said. The caller holds the message and its contact. Locks pacing, then dispatch.
create or replace function messaging.go_on_by_ladder(
  instance messaging.instances, message messaging.messages, decided jsonb, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  is_invitation constant boolean := decided->'shown'->>'sentAs' = 'invitation';
begin
  if decided ? 'isExhausted' then
    update messaging.messages m
    set status = 'failed', failed_at = clock_timestamp(), held_by = null,
      is_retryable = false, ladder = decided, unconfirmed_at = null,
      last_error = messaging.exhausted_error(decided->'passed')
    where m.id = message.id;
    return;
  end if;
  begin
    if is_invitation then
      perform messaging.await_reply(
        instance, message, decided, message.mode = 'queued'
      );
    else
      message.held_by := null;
      perform messaging.requeue_message(message);
    end if;
    update messaging.messages m
    set last_error = error, is_retryable = false,
      expires_at = case
        when not is_invitation and m.ladder ? 'endsByDefault' then null else m.expires_at
      end,
      ladder = case when is_invitation then m.ladder else decided - 'endsByDefault' end
    where m.id = message.id;
  exception when sqlstate 'MI010' then
    update messaging.messages m
    set status = 'failed', failed_at = clock_timestamp(), held_by = null,
      last_error = '{"code": "send_window_never_opens", "message": "The send window never opens."}'
    where m.id = message.id;
  end;
end;
$$;

-- The error of a message for which no rung was left, with what was wrong with each. `passed`: see
-- decide_ladder.
create or replace function messaging.exhausted_error(passed jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object(
    'code', 'outside_conversation_window',
    'message', 'The conversation window is closed, and no rung of outsideWindow was left: ' || (
      select string_agg((p.one->>'rung') || ' (' || (p.one->>'reason') || ')', ', ' order by p.place)
      from jsonb_array_elements(passed) with ordinality as p(one, place)
    )
  );
end;
$$;
