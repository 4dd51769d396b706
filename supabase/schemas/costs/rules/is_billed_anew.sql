-- Whether a message is billed in another way than before. That its price has become known (see count_notes)
-- is none.
create or replace function messaging.is_billed_anew(former jsonb, present jsonb)
returns boolean language sql immutable
return former - 'market' is distinct from present - 'market'
or former ? 'market'
and not present ? 'market';
