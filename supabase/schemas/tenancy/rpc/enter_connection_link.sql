-- connect: whether a link to connect a phone may be looked at now. `request`: tokenHash, openedAt (when the page
-- was opened; NULL for one that opens), sendsTest. Every look counts: thirty a minute, and five test messages
-- in all. A link whose phone is connected lets pages in that were open before, to its end, for 15 minutes at least.
-- Returns {linkId, instanceId, instanceName, provider, sealedProviderConfig, language, expiresAt, openedAt,
-- isUsed}; or {refused}: not_found, ended, or rate_limited with retryAfterSeconds. Locks the link.
create or replace function public.enter_connection_link(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  looks_per_minute constant integer := 30;
  most_tests constant integer := 5;
  share constant interval := interval '1 minute' / looks_per_minute;
  sends_test constant boolean := coalesce((request->>'sendsTest')::boolean, false);
  opened_at constant timestamptz := (request->>'openedAt')::timestamptz;
  link messaging.connection_links;
  instance messaging.instances;
  clock timestamptz;
  is_over boolean;
begin
  select l.* into link from messaging.connection_links l
  where l.token_hash = request->>'tokenHash' for no key update;
  if not found then
    return jsonb_build_object('refused', 'not_found');
  end if;
  clock := clock_timestamp();
  is_over := case
    when link.used_at is null then link.expires_at <= clock
    else (
      opened_at < link.used_at
      and clock < greatest(link.expires_at, link.used_at + interval '15 minutes')
    ) is not true
  end;
  if is_over or link.revoked_at is not null then
    return jsonb_build_object('refused', 'ended');
  end if;
  if messaging.is_allowance_void(link.looks_whole_at, clock) then
    link.looks_whole_at := clock;
  end if;
  if not messaging.suffices_allowance(link.looks_whole_at, share, clock)
    or sends_test and link.tests >= most_tests then
    return jsonb_build_object('refused', 'rate_limited', 'retryAfterSeconds', case
      when sends_test and link.tests >= most_tests then 60
      else ceil(extract(epoch from link.looks_whole_at + share - clock - interval '1 minute'))
    end);
  end if;
  update messaging.connection_links l
  set looks_whole_at = messaging.spent_allowance(link.looks_whole_at, share, clock),
    tests = l.tests + case when sends_test then 1 else 0 end
  where l.id = link.id;
  select i.* into strict instance from messaging.instances i where i.id = link.instance_id;
  return jsonb_build_object(
    'linkId', link.id,
    'instanceId', instance.id,
    'instanceName', instance.name,
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'language', link.language,
    'expiresAt', messaging.iso_in_zone(link.expires_at, 'UTC'),
    'openedAt', coalesce(opened_at, clock),
    'isUsed', link.used_at is not null
  );
end;
$$;
