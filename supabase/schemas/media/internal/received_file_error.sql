-- Why a received message's file is not there: {lastError}, to put into the message's record, which has no
-- error of its own. Empty where there is nothing to say.
create or replace function messaging.received_file_error(message messaging.messages)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  if message.direction = 'inbound' then
    return coalesce(
      (
        select jsonb_build_object('lastError', m.last_error)
        from messaging.media m
        where m.id = message.media_id and m.status in ('failed', 'expired')
      ),
      '{}'
    );
  end if;
  return '{}';
end;
$$;
