-- A merged object (customLabels, collected_data) that holds at most 64 KiB (decisions, section 3):
-- calls of 32 KiB each would add up without a bound. Called where the row is locked. `refusal` is the
-- SQLSTATE that a larger one raises, and names the request's field. Errors: MI020, MI021.
create or replace function messaging.limit_merged_object(merged jsonb, refusal text)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  if messaging.object_bytes(merged) > 64 * 1024 then
    raise exception 'a merged object would exceed 64 KiB' using errcode = refusal;
  end if;
  return merged;
end;
$$;
revoke all on function messaging.limit_merged_object(jsonb, text) from public, anon, authenticated;
grant execute on function messaging.limit_merged_object(jsonb, text) to service_role;
