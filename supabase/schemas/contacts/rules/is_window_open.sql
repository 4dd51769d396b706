-- Whether a message with a ladder may go as it is. Gateways have no window. With a ladder a contact of whom no
-- message is known counts as closed. `closed_at`: the contact's message in spite of which the channel has called it
-- closed; only a later one opens it again.
create or replace function messaging.is_window_open(
  provider_class text, last_inbound_at timestamptz, closed_at timestamptz, clock timestamptz
) returns boolean language sql stable
return provider_class != 'official'
or coalesce(
  messaging.window_closes_at(last_inbound_at) >= clock
  and (closed_at is null or last_inbound_at > closed_at),
  false
);
