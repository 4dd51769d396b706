-- admin-api: stores what was sealed again of list_notify_seals_under_old_keys. `request`: items [{kind, id, former,
-- sealed}]. What no longer equals `former` has ended meanwhile and stays; so does what another transaction holds:
-- the next list has it again.
-- Returns {replaced}: how many.
create or replace function public.replace_notify_seals(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  item record;
  changed integer;
  replaced integer := 0;
begin
  for item in
    select i.* from jsonb_to_recordset(request->'items') as i(kind text, id uuid, former text, sealed text)
  loop
    case item.kind
      when 'question' then
        update messaging.questions q set sealed_notify = item.sealed
        where q.id = (
          select h.id from messaging.questions h
          where h.id = item.id and h.sealed_notify = item.former
          for no key update skip locked
        );
      when 'batch' then
        update messaging.batches b
        set source = jsonb_set(b.source, '{ask,sealedNotify}', to_jsonb(item.sealed))
        where b.id = (
          select h.id from messaging.batches h
          where h.id = item.id and h.source->'ask'->>'sealedNotify' = item.former
          for no key update skip locked
        );
      when 'notification' then
        update messaging.outbox o
        set payload = jsonb_set(o.payload, '{sealedNotify}', to_jsonb(item.sealed))
        where o.id = (
          select h.id from messaging.outbox h
          where h.id = item.id and h.payload->>'sealedNotify' = item.former
          for no key update skip locked
        );
    end case;
    get diagnostics changed = row_count;
    replaced := replaced + changed;
  end loop;
  return jsonb_build_object('replaced', replaced);
end;
$$;
