-- Returns a merged object (customLabels, collected_data) of at most 64 KiB (decisions, section 3). The
-- bound is needed because calls of 32 KiB each add up. The caller has locked the row. `refusal` is the
-- SQLSTATE raised for a larger object; it names the request's field. Errors: MI020, MI021.
create or replace function messaging.limit_merged_object(merged jsonb, refusal text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if messaging.object_bytes(merged) > 64 * 1024 then
    raise exception 'a merged object would exceed 64 KiB' using errcode = refusal;
  end if;
  return merged;
end;
$$;
