-- export_contact_page: a contact's messages, at most `max_items`, those after `after` {at, id}: first those
-- that have not left, in the order of their ids, then the others from the oldest. [{at, id, item}], where
-- `at` is NULL for a message that has not left.
-- Read by the index of the history, from where the last page ended: messages of one instant are few.
create or replace function messaging.export_messages(
  contact messaging.contacts,
  zone text,
  after jsonb,
  max_items integer
)
returns jsonb[]
language plpgsql
stable
set search_path = ''
as $$
declare
  after_at constant timestamptz := coalesce((after->>'at')::timestamptz, '-infinity');
  after_id constant uuid := coalesce(
    (after->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  own_ids constant uuid[] := messaging.merged_contact_ids(contact.id);
  found_items jsonb[] := '{}';
begin
  if after->>'at' is null then
    found_items := array(
      select messaging.export_message(messaging.message_after_merge(unsent.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is null and m.id > after_id
        order by m.id
        limit max_items
      ) as unsent
      order by (unsent.m).id
      limit max_items
    );
    if cardinality(found_items) = max_items then
      return found_items;
    end if;
    return found_items || array(
      select messaging.export_message(messaging.message_after_merge(first.m), zone)
      from unnest(own_ids) as own(contact_id)
      cross join lateral (
        select m from messaging.messages m
        where m.contact_id = own.contact_id and m.sent_at is not null
        order by m.sent_at, m.id
        limit max_items
      ) as first
      order by (first.m).sent_at, (first.m).id
      limit max_items - cardinality(found_items)
    );
  end if;
  return array(
    select messaging.export_message(messaging.message_after_merge(next.m), zone)
    from unnest(own_ids) as own(contact_id)
    cross join lateral (
      select m from messaging.messages m
      where m.contact_id = own.contact_id and m.sent_at >= after_at
        and (m.sent_at, m.id) > (after_at, after_id)
      order by m.sent_at, m.id
      limit max_items
    ) as next
    order by (next.m).sent_at, (next.m).id
    limit max_items
  );
end;
$$;
