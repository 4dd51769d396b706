-- The floor that a writer's lock holds, from the low 32 bits that are its second number: the number nearest to the
-- one that was drawn last. See lock_event_floor.
create or replace function messaging.event_floor(last_drawn bigint, low_bits oid)
returns bigint language sql immutable parallel safe
return last_drawn + ((low_bits::bigint - last_drawn + 2147483648) & 4294967295) - 2147483648;
