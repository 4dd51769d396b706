-- Contacts as contacts-api tells them, in the order of `contact_ids`, in one statement: [{contactId, …}].
-- A merged or erased one is its tombstone {contactId, isDeleted, mergedInto}; unknown ids are left out.
create or replace function messaging.describe_contacts(
  instance messaging.instances, contact_ids uuid[]
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  zone constant text := instance.time_zone;
begin
  return (
    select coalesce(
      jsonb_agg(
        case
          when c.id is null then jsonb_build_object(
            'contactId', a.contact_id, 'isDeleted', true, 'mergedInto', a.merged_into,
            'updatedAt', messaging.iso_in_zone(a.updated_at, zone)
          )
          else jsonb_build_object(
            'contactId', c.id,
            'phone', messaging.contact_display_phone(c),
            'tags', coalesce(tagged.names, '[]'),
            'origin', c.origin,
            'consent', messaging.describe_consent(c, zone),
            'identities', shown.identities,
            'window', messaging.shown_window(
              instance.provider_class, c.last_inbound_at, free.ends_at, zone, clock
            ),
            'referral', ad.referral,
            'profilePictureUrl', c.profile_picture_url,
            'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, zone),
            'conversation', case
              when v.id is not null then jsonb_build_object(
                'conversationId', v.id,
                'status', v.status,
                'assignedTo', v.assigned_to,
                'departmentId', v.department_id,
                'portfolio', f.operator_id is not null,
                'lastMessageAt', messaging.iso_in_zone(a.last_message_at, zone)
              )
            end,
            'createdAt', messaging.iso_in_zone(c.created_at, zone),
            'updatedAt', messaging.iso_in_zone(coalesce(a.updated_at, c.updated_at), zone)
          ) || messaging.contact_fields(c)
        end
        order by wanted.place
      ),
      '[]'
    )
    from unnest(contact_ids) with ordinality as wanted(id, place)
    -- No index knows "is not distinct from": without statistics a plan may read all of the instance.
    left join messaging.contacts c
      on c.id = any (array[wanted.id]) and c.instance_id is not distinct from instance.id
    left join messaging.contact_activity a
      on a.contact_id = any (array[wanted.id]) and a.instance_id is not distinct from instance.id
    left join messaging.conversations v on v.contact_id = any (array[c.id])
    left join messaging.portfolios f on f.contact_id = any (array[c.id])
    left join messaging.agent_pauses p
      on p.contact_id = any (array[c.id]) and p.paused_until > clock
    left join lateral (
      select jsonb_agg(t.name order by lower(t.name)) as names
      from messaging.contact_tags g
      join messaging.tags t on t.id = any (array[g.tag_id])
      where g.contact_id = c.id
    ) as tagged on true
    left join lateral messaging.newest_referral(c.id) as ad on true
    left join lateral messaging.free_entry_point(c.id, c.last_inbound_at, clock) as free
      on instance.provider_class = 'official'
    left join lateral (select messaging.contact_identities(c) as identities) as shown on true
    where c.id is not null or a.merged_into is not null or a.erased_at is not null
  );
end;
$$;

-- A contact's window as answers show it: until when free-form messages may be sent (see window_closes_at),
-- and until when the channel bills nothing (see free_entry_point; NULL for none). Gateways have no window:
-- it is always open. `closesAt` stays when it has passed.
create or replace function messaging.shown_window(
  provider_class text, last_inbound_at timestamptz, free_until timestamptz, zone text,
  clock timestamptz
) returns jsonb language sql stable
return case
  when provider_class = 'official' then jsonb_build_object(
    'isOpen', coalesce(messaging.window_closes_at(last_inbound_at) >= clock, false),
    'closesAt', messaging.iso_in_zone(messaging.window_closes_at(last_inbound_at), zone),
    'freeUntil', messaging.iso_in_zone(free_until, zone)
  )
  else '{"isOpen": true, "closesAt": null, "freeUntil": null}'
end;

-- By what a contact is known: [{kind, value, provenAt}], the newest proof first. `provenAt` is NULL for
-- what nothing has proven by itself: a phone as the API gave it, an identity shown beside the address.
create or replace function messaging.contact_identities(contact messaging.contacts)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'kind', identity.kind,
          'value', case
            when identity.kind = 'username' then substr(known.address, length('username:') + 1)
            else known.address
          end,
          'provenAt', case
            when isfinite(known.proven_at) then messaging.iso_in_zone(known.proven_at, 'UTC')
          end
        )
        order by known.proven_at desc nulls last, known.address
      ),
      '[]'
    )
    from (
      select a.address, a.proven_at
      from messaging.contact_addresses a
      where a.contact_id = contact.id
      union all
      select contact.phone, null
      where contact.phone is not null and not exists (
        select from messaging.contact_addresses a
        where a.contact_id = contact.id
          and a.identity_key = messaging.phone_identity_key(contact.phone)
      )
    ) as known
    cross join lateral (select messaging.address_kind(known.address)) as identity(kind)
    where identity.kind is not null
  );
end;
$$;
