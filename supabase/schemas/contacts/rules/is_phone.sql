-- Whether an address is a phone; else it is a hidden identity (LID, BSUID).
create or replace function messaging.is_phone(address text)
returns boolean language sql immutable
return address ~ '^[0-9]{8,15}$';
