-- What the members of a group have done with a message, after one more notice of one of them. `member`:
-- phone, userId, lid (each where known), hasRead. A message keeps 32 members, as its record is read whole.
create or replace function messaging.add_group_receipt(
  receipts jsonb, member jsonb, told_at timestamptz
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  known constant jsonb := coalesce(receipts, '[]');
  person constant jsonb := jsonb_strip_nulls(member - array['hasRead', 'name']);
  at_told constant text := messaging.iso_in_zone(told_at, 'UTC');
  former record;
begin
  select (e.place - 1)::text as place, e.value as receipt into former
  from jsonb_array_elements(known) with ordinality as e(value, place)
  where e.value->>'phone' = person->>'phone' or e.value->>'userId' = person->>'userId'
    or e.value->>'lid' = person->>'lid'
  limit 1;
  if found then
    return jsonb_set(known, array[former.place], former.receipt || person || jsonb_build_object(
      'deliveredAt', least(former.receipt->>'deliveredAt', at_told),
      'readAt', coalesce(
        former.receipt->>'readAt', case when (member->>'hasRead')::boolean then at_told end
      )
    ));
  elsif jsonb_array_length(known) >= 32 then
    return known;
  end if;
  return known || jsonb_build_array(person || jsonb_build_object(
    'deliveredAt', at_told, 'readAt', case when (member->>'hasRead')::boolean then at_told end
  ));
end;
$$;
