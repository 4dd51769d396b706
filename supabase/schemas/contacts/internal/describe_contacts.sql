-- Contacts as contacts-api tells them, in the order of `contact_ids`, in one statement: [{contactId, …}].
-- A merged or erased one is its tombstone {contactId, isDeleted, mergedInto}; unknown ids are left out.
create or replace function messaging.describe_contacts(
  instance messaging.instances,
  contact_ids uuid[]
)
returns jsonb
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
