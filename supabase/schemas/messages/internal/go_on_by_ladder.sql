-- Lets a message that is in no queue go on by its ladder, as `decided` (see climb_ladder): back into the queue,
-- as its own mode would; or it waits for an answer; or it fails, where no rung is left. `error`: what the channel
-- said. The caller holds the message and its contact. Locks pacing, then dispatch.
create or replace function messaging.go_on_by_ladder(
  instance messaging.instances, message messaging.messages, decided jsonb, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  going_on messaging.messages := message;
begin
  if decided ? 'isExhausted' then
    message.is_retryable := false;
    message.ladder := decided;
    message.last_error := messaging.exhausted_error(decided->'passed');
    perform messaging.fail_message(message);
    return;
  end if;
  begin
    going_on.last_error := error;
    going_on.is_retryable := false;
    if decided->'shown'->>'sentAs' = 'invitation' then
      perform messaging.await_reply(instance, going_on, decided, message.mode = 'queued');
      return;
    end if;
    going_on.held_by := null;
    if message.ladder ? 'endsByDefault' then
      going_on.expires_at := null;
    end if;
    going_on.ladder := decided - 'endsByDefault';
    perform messaging.requeue_message(going_on);
  exception when sqlstate 'MI010' then
    message.last_error :=
      '{"code": "send_window_never_opens", "message": "The send window never opens."}';
    perform messaging.fail_message(message);
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
