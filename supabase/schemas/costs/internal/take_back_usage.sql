-- Takes back from the sums what has been counted of an outbound message of ours that is not so after all: that
-- it was sent or delivered, or how it was billed. `former` and `present`: the message before and after.
create or replace function messaging.take_back_usage(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
declare
  changes constant messaging.usage_changes[] := array(
    select messaging.counted_note(
      row(former.id, former.instance_id, former.sent_at, false)::messaging.usage_notes, former, -1
    )
    where former.sent_at is not null and former.sent_at is distinct from present.sent_at
    union all
    select messaging.counted_delivery(former, -1)
    where former.delivered_at is not null
      and not messaging.awaits_price(former.delivered_at, former.pricing)
      and (former.delivered_at, former.pricing) is distinct from (present.delivered_at, present.pricing)
  );
begin
  if changes <> '{}' then
    perform messaging.add_usage_changes(changes);
  end if;
  if present.sent_at is null then
    delete from messaging.budget_under_way b where b.message_id = present.id;
  end if;
end;
$$;
