-- The answer of an RPC that gets one record: what describes it, or the refusal with this SQLSTATE and code where
-- there is no such record.
create or replace function messaging.require_record(record jsonb, error_code text, message text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if record is null then
    raise exception using errcode = error_code, message = require_record.message;
  end if;
  return record;
end;
$$;
