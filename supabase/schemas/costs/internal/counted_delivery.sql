-- What a delivery counts in the sums, by the price that its message has got: `factor` is 1, or -1 where it was not
-- so after all.
create or replace function messaging.counted_delivery(message messaging.messages, factor integer)
returns messaging.usage_changes language plpgsql stable set search_path = '' as $$
declare
  counted messaging.usage_changes := messaging.counted_note(
    row(message.id, message.instance_id, message.delivered_at, true)::messaging.usage_notes, message, factor
  );
  is_free constant boolean := coalesce(
    message.estimated_cost = 0 or message.is_free_service or messaging.free_by_channel(message.pricing),
    false
  );
begin
  if message.pricing is null then
    return counted;
  end if;
  counted.category := message.pricing->>'category';
  counted.pricing_type := message.pricing->>'type';
  counted.market := message.pricing->>'market';
  if is_free then
    counted.free := factor;
  elsif message.cost_currency is null then
    counted.unknown := factor;
  else
    counted.amount := factor * message.estimated_cost;
    counted.currency := message.cost_currency;
  end if;
  return counted;
end;
$$;
