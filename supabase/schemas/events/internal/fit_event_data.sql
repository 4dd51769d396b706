-- Cuts an event's data so that the whole event stays below 20,000 bytes, and says so in `isTruncated`:
-- first the longest text or list of its members, and of the objects among them, then the next one. A list
-- loses the second half of its items.
-- An event has at most 300 bytes beside its data, and a signed link of 500 takes the place of mediaUrl.
create or replace function messaging.fit_event_data(data jsonb)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  max_bytes constant integer := 19200;
  fitted jsonb := data;
  excess integer;
  longest record;
begin
  -- A text takes at most six times its size as JSON. Most data are small: spares writing them out.
  if pg_column_size(data) <= 3000 then
    return data;
  end if;
  loop
    excess := octet_length(fitted::text) - max_bytes;
    exit when excess <= 0;
    fitted := fitted || '{"isTruncated": true}';
    select leaf.path, leaf.part, leaf.part #>> '{}' as value,
      jsonb_typeof(leaf.part) = 'array' as is_list
    into longest
    from (
      select array[own.key] as path, own.value as part
      from jsonb_each(fitted) as own
      where jsonb_typeof(own.value) in ('string', 'array')
      union all
      select array[own.key, inner_one.key], inner_one.value
      from jsonb_each(fitted) as own
      cross join lateral jsonb_each(
        case when jsonb_typeof(own.value) = 'object' then own.value else '{}' end
      ) as inner_one
      where jsonb_typeof(inner_one.value) in ('string', 'array')
    ) as leaf
    order by octet_length(leaf.part::text) desc
    limit 1;
    exit when longest.path is null or longest.value in ('', '[]');
    if longest.is_list then
      fitted := jsonb_set(fitted, longest.path, coalesce(
        (
          select jsonb_agg(item.value order by item.place)
          from jsonb_array_elements(longest.part) with ordinality as item(value, place)
          where item.place <= jsonb_array_length(longest.part) / 2
        ),
        '[]'
      ));
      continue;
    end if;
    -- A character may take six bytes: cuts too little rather than too much, and looks again.
    fitted := jsonb_set(fitted, longest.path, to_jsonb(
      left(longest.value, greatest(char_length(longest.value) - greatest(excess / 6, 1), 0))
    ));
  end loop;
  return fitted;
end;
$$;
