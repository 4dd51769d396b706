-- Whether the official channel itself bills nothing for a message, by its `pricing`: an answer within the
-- window, or the free entry point. False where the pricing is not known.
create or replace function messaging.free_by_channel(pricing jsonb)
returns boolean language sql immutable
return coalesce(pricing ->> 'type' in ('free_customer_service', 'free_entry_point'), false);
