-- Notes what a change of an outbound message changes in the sums: that it was sent or delivered, was not
-- after all, or is billed in another way. `former` and `present`: the message before and after. Call it
-- wherever sent_at, delivered_at or pricing of a message is written. The statements that nearly every message
-- passes (settle_plain_acceptance, settle_plain_acceptances, record_plain_statuses) note it themselves.
create or replace function messaging.note_usage(
  former messaging.messages,
  present messaging.messages
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  changes messaging.usage_changes[];
begin
  -- What an employee types on the phone is not this service's.
  if present.direction <> 'outbound' or present.is_typed_on_phone then
    return;
  end if;
  changes := array(
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
  if changes <> '{}' then
    perform messaging.add_usage_changes(changes);
  end if;
  if former.sent_at is not null and present.sent_at is null then
    delete from messaging.budget_under_way b where b.message_id = present.id;
  end if;
  insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
  select present.id, present.instance_id, n.counted_at, n.is_delivery
  from (
    values
      (present.sent_at, false, former.sent_at is distinct from present.sent_at),
      (
        -- Also of what was not delivered after all: it may hold one of the month's free places.
        coalesce(present.delivered_at, former.delivered_at), true,
        (former.delivered_at, former.pricing) is distinct from (present.delivered_at, present.pricing)
          and (present.delivered_at is not null or former.is_free_service)
      )
  ) as n (counted_at, is_delivery, is_new)
  where n.is_new and n.counted_at is not null;
end;
$$;
