-- Records the key that a contact writes with. `event`: address, otherAddresses, identity, isNotice, source,
-- noticeId, at. Tells contact.identity_changed where it is another one, or where the channel says so and none
-- was known; once for a change, however many webhooks tell it: see is_same_identity_change. A person who is
-- unknown is left unknown. Returns whether anything changed. Locks the contact.
create or replace function messaging.record_identity_event(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  seen text;
  told_at constant timestamptz := messaging.event_instant(event);
  names constant jsonb := jsonb_build_array(event->'identity')
    || coalesce(nullif(event->'noticeId', 'null'), '[]');
  is_known boolean;
  is_same boolean;
begin
  foreach seen in array array[event->>'address'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    contact := messaging.find_contact(record_identity_event.instance_id, seen);
    exit when contact.id is not null;
  end loop;
  select c.* into contact from messaging.contacts c where c.id = contact.id for no key update;
  is_known := coalesce(
    contact.channel_identity = event->>'identity'
      or contact.identity_change->'names' ? (event->>'identity'),
    false
  );
  if contact.id is null
    -- A late message of before the change.
    or contact.identity_change->'former' ? (event->>'identity')
    or is_known and coalesce(contact.identity_change->'sources' ? (event->>'source'), true) then
    return false;
  end if;
  is_same := is_known
    or messaging.is_same_identity_change(contact.identity_change, event, told_at);
  update messaging.contacts c
  set channel_identity = case
      -- A notice without a key is called by its id.
      when is_known or is_same and event->>'identity' = event->>'noticeId' then c.channel_identity
      else event->>'identity'
    end,
    identity_change = case
      when is_same then jsonb_build_object(
        'at', greatest(told_at, (c.identity_change->>'at')::timestamptz),
        'sources', c.identity_change->'sources' || jsonb_build_array(event->'source'),
        'names', c.identity_change->'names' || names,
        'former', c.identity_change->'former'
      )
      when c.channel_identity is not null or (event->>'isNotice')::boolean then jsonb_build_object(
        'at', told_at,
        'sources', jsonb_build_array(event->'source'),
        'names', names,
        'former', coalesce(c.identity_change->'names', '[]')
          || coalesce(to_jsonb(c.channel_identity), '[]')
      )
    end
  where c.id = contact.id;
  if is_same or contact.channel_identity is null and not (event->>'isNotice')::boolean then
    return false;
  end if;
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.identity_changed',
    messaging.event_person(contact) || jsonb_build_object(
      'reason', 'device_changed',
      'identity', event->'identity',
      'previousIdentity', contact.channel_identity
    )
  );
  return true;
end;
$$;

-- Whether a notice of another key of a person reports the last recorded change (`change`, as in
-- contacts.identity_change) once more: under one of its names; or by a kind of notice (`source`) that has not
-- reported it yet, since each kind has a name of its own for a key; or by a system message that is no younger
-- than the change's report.
create or replace function messaging.is_same_identity_change(
  change jsonb, event jsonb, told_at timestamptz
) returns boolean language sql stable
return coalesce(
  change -> 'names' ? (event ->> 'noticeId')
  or case
    when event ->> 'source' = 'system' then told_at <= (change ->> 'at')::timestamptz
    else not change -> 'sources' ? (event ->> 'source')
  end,
  false
);
