-- Notes what changes in the sums beside what usage_notes tell: see usage_changes.
create or replace function messaging.add_usage_changes(changes messaging.usage_changes[])
returns void language sql set search_path = '' as $$
  insert into messaging.usage_changes (
    instance_id, counted_at, sent, delivered, free, unknown, amount, currency, category, pricing_type,
    market, message_type, sent_by, agent_id, batch_id
  )
  select c.instance_id, c.counted_at, c.sent, c.delivered, c.free, c.unknown, c.amount, c.currency,
    c.category, c.pricing_type, c.market, c.message_type, c.sent_by, c.agent_id, c.batch_id
  from unnest(changes) as c;
$$;
