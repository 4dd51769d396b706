-- A contact's window as answers show it: until when free-form messages may be sent (see window_closes_at),
-- and until when the channel bills nothing (see free_entry_point; NULL for none). Gateways have no window:
-- it is always open. `closesAt` stays when it has passed.
create or replace function messaging.shown_window(
  provider_class text,
  last_inbound_at timestamptz,
  free_until timestamptz,
  zone text,
  clock timestamptz
)
returns jsonb
language sql
stable
return case
  when provider_class = 'official' then jsonb_build_object(
    'isOpen',
    coalesce(messaging.window_closes_at(last_inbound_at) >= clock, false),
    'closesAt',
    messaging.iso_in_zone(messaging.window_closes_at(last_inbound_at), zone),
    'freeUntil',
    messaging.iso_in_zone(free_until, zone)
  )
  else '{"isOpen": true, "closesAt": null, "freeUntil": null}'
end;
