-- Whether a message at the official channel was delivered and has no price yet: its pricing names the market
-- from then on, NULL where no rate does. See count_notes.
create or replace function messaging.awaits_price(delivered_at timestamptz, pricing jsonb)
returns boolean language sql immutable
return coalesce(delivered_at is not null and not pricing ? 'market', false);
