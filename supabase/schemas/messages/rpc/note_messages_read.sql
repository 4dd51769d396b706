-- Records that the channel was told that received messages are read. `request`: instanceId, messageIds. The
-- first time stays. Returns {read}: how many were new.
create or replace function public.note_messages_read(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  noted integer;
begin
  update messaging.messages m
  set read_at = clock_timestamp()
  where m.id = any (array(select jsonb_array_elements_text(request->'messageIds')::uuid))
    and m.instance_id = (request->>'instanceId')::uuid
    and m.direction = 'inbound' and m.read_at is null;
  get diagnostics noted = row_count;
  return jsonb_build_object('read', noted);
end;
$$;
