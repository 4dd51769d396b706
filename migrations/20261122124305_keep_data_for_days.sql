set local check_function_bodies = off;

-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb
language sql
stable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'instanceId', instance.id,
    'workspaceId', instance.workspace_id,
    'name', instance.name,
    'provider', instance.provider,
    'gatewayInstanceId', instance.gateway_instance_id,
    'businessInstanceId', instance.business_instance_id,
    'embedKey', instance.embed_key,
    'connectedPhone', instance.connected_phone,
    'timeZone', instance.time_zone,
    'sendWindow', jsonb_build_object(
      'start', to_char(instance.window_start, 'HH24:MI'),
      'end', to_char(instance.window_end, 'HH24:MI'),
      'days', to_jsonb(instance.window_days),
      'holidays', (
        select coalesce(jsonb_agg(h.day order by h.day), '[]')
        from messaging.holidays h where h.instance_id = instance.id
      )
    ),
    'optOut', jsonb_build_object(
      'keywords', to_jsonb(instance.opt_out_keywords),
      'resumeKeywords', to_jsonb(instance.opt_out_resume_keywords),
      'confirmation', instance.opt_out_confirmation
    ),
    'retention', jsonb_build_object(
      'messagesDays', instance.retention_messages_days,
      'mediaDays', instance.retention_media_days,
      'providerEventsDays', nullif(coalesce(instance.retention_provider_events_days, 30), 0)
    ),
    'protection', instance.protection,
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_instance(messaging.instances)
from public, anon, authenticated;
grant execute on function messaging.describe_instance(messaging.instances) to service_role;

-- purge_expired: lets files go that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`: see expire_media. Returns how many. Plans: see purge_expired.
create or replace function messaging.purge_media(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
begin
  return messaging.expire_media(array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select f.id from messaging.media f
      where f.instance_id = i.id and f.status in ('pending', 'stored')
        and f.created_at <= clock - make_interval(days => i.retention_media_days)
      order by f.instance_id, f.created_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_media_days is not null
    limit max_rows
  ));
end;
$$;
revoke all on function messaging.purge_media(integer, timestamptz) from public, anon, authenticated;
grant execute on function messaging.purge_media(integer, timestamptz) to service_role;

-- purge_expired: deletes messages that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`, with the files that no other message names. What still waits to be sent stays.
-- Contacts and conversations stay. Where a contact's last message is among them, its activity is read anew,
-- so that reading the contact shows no message that is gone.
-- Returns how many. Waits for no lock but those of contact_activity, which are the last.
-- Plans: see purge_expired.
create or replace function messaging.purge_messages(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  files uuid[];
  contact_ids uuid[];
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select m.id from messaging.messages m
      where m.instance_id = i.id and m.created_at > '-infinity'
        and m.created_at <= clock - make_interval(days => i.retention_messages_days)
        -- Not EXISTS: see claim_due_messages.
        and (
          select true from messaging.message_queue q where q.message_id = m.id limit 1
        ) is null
      order by m.instance_id, m.created_at
      limit max_rows
      for update of m skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  files := messaging.media_of_messages(ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids) returning m.contact_id, m.sent_at
  )
  select array_agg(a.contact_id) into contact_ids
  from (select g.contact_id, max(g.sent_at) as last_at from gone g group by g.contact_id) as told
  cross join lateral (
    select x.contact_id from messaging.contact_activity x
    where x.contact_id = told.contact_id and x.last_message_at <= told.last_at
    offset 0
  ) as a;
  perform messaging.forget_media(files);
  if contact_ids is not null then
    perform messaging.note_contact(named.id) from unnest(contact_ids) as named(id);
    perform messaging.touch_noted_contacts();
  end if;
  return cardinality(ids);
end;
$$;
revoke all
on function messaging.purge_messages(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_messages(integer, timestamptz) to service_role;

-- purge_expired: deletes webhook payloads that are older than their instance keeps them: 30 days, unless it
-- is set otherwise. At most `max_rows` of either kind, the oldest first.
-- The payloads of instances without a setting are found by their age alone. What is older and is kept
-- longer by a setting is marked once, so that it is passed over from then on.
-- Returns how many were deleted or marked. Never waits for a lock. Plans: see purge_expired.
create or replace function messaging.purge_provider_events(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  places tid[];
  own_time integer;
begin
  places := array(
    select e.ctid from messaging.provider_events e
    where not e.is_kept_longer and e.received_at <= clock - interval '30 days'
    order by e.received_at
    limit max_rows
    for update skip locked
  );
  update messaging.provider_events p
  set is_kept_longer = true
  where p.ctid = any (places) and exists (
    select from messaging.instances i
    where i.id = p.instance_id
      and (i.retention_provider_events_days = 0 or i.retention_provider_events_days > 30)
  );
  -- What was marked has moved to another place.
  delete from messaging.provider_events p
  where p.ctid = any (places) and not p.is_kept_longer;

  delete from messaging.provider_events p
  where p.ctid = any (array(
    select due.place
    from messaging.instances i
    cross join lateral (
      select e.ctid as place from messaging.provider_events e
      where e.instance_id = i.id
        and e.received_at <= clock - make_interval(days => i.retention_provider_events_days)
      order by e.instance_id, e.received_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_provider_events_days > 0
    limit max_rows
  ));
  get diagnostics own_time = row_count;
  return greatest(cardinality(places), own_time);
end;
$$;
revoke all
on function messaging.purge_provider_events(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_provider_events(integer, timestamptz) to service_role;

-- purge_expired: deletes events of instances that keep messages for less than the 30 days of events: an
-- event must not outlive its message. At most `max_rows` of an instance, the oldest first; notes how far
-- the feed is gone, as purge_events does. Returns how many. Never waits for a lock. Plans: see
-- purge_expired.
create or replace function messaging.purge_told_messages(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  of_instance record;
  places tid[];
  purged_through bigint;
  purged integer := 0;
begin
  for of_instance in
    select i.id, clock - make_interval(days => i.retention_messages_days) as until
    from messaging.instances i
    where i.retention_messages_days < 30
  loop
    places := array(
      select e.ctid
      from (
        select o.ctid, o.recorded_at
        from messaging.events o
        where (o.instance_id, o.sequence) >= (of_instance.id, 0)
          and (o.instance_id, o.sequence) <= (of_instance.id, 9223372036854775807)
        order by o.instance_id, o.sequence
        limit case
          when (
            select f.recorded_at from messaging.events f
            where (f.instance_id, f.sequence) >= (of_instance.id, 0)
              and (f.instance_id, f.sequence) <= (of_instance.id, 9223372036854775807)
            order by f.instance_id, f.sequence
            limit 1
          ) <= of_instance.until then max_rows
          else 0
        end
      ) as e
      where e.recorded_at <= of_instance.until
    );
    continue when places = '{}';
    with due as materialized (
      select e.ctid from messaging.events e where e.ctid = any (places) for update skip locked
    ),
    gone as (
      delete from messaging.events e
      where e.ctid = any (array(select d.ctid from due d))
      returning e.sequence
    )
    select max(g.sequence), purged + count(*) into purged_through, purged from gone g;
    insert into messaging.event_streams as s (instance_id, purged_through)
    select of_instance.id, purged_through where purged_through is not null
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through);
  end loop;
  return purged;
end;
$$;
revoke all
on function messaging.purge_told_messages(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_told_messages(integer, timestamptz) to service_role;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, protection (see changed_protection), retention {messagesDays, mediaDays, providerEventsDays, each
-- optional; null is for ever}, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance
-- reads them back. Returns the instance. Locks the instance. Raises unique_violation where another
-- instance has one of its ids.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances
language plpgsql
set search_path = ''
as $$
declare
  send_window constant jsonb := settings->'sendWindow';
  opt_out constant jsonb := settings->'optOut';
  retention constant jsonb := settings->'retention';
  instance messaging.instances;
begin
  update messaging.instances i
  set name = coalesce(settings->>'name', i.name),
    sealed_provider_config = coalesce(settings->>'sealedProviderConfig', i.sealed_provider_config),
    gateway_instance_id = case
      when settings ? 'sealedProviderConfig' then settings->>'gatewayInstanceId'
      else i.gateway_instance_id
    end,
    business_instance_id = case
      when settings ? 'businessInstanceId' then settings->>'businessInstanceId'
      else i.business_instance_id
    end,
    connected_phone = coalesce(settings->>'connectedPhone', i.connected_phone),
    connected_phone_key = messaging.phone_identity_key(
      coalesce(settings->>'connectedPhone', i.connected_phone)
    ),
    time_zone = coalesce(settings->>'timeZone', i.time_zone),
    window_start = coalesce((send_window->>'start')::time, i.window_start),
    window_end = coalesce((send_window->>'end')::time, i.window_end),
    window_days = case
      when send_window ? 'days'
      then array(select jsonb_array_elements_text(send_window->'days')::smallint)
      else i.window_days
    end,
    opt_out_keywords = case
      when opt_out ? 'keywords' then array(select jsonb_array_elements_text(opt_out->'keywords'))
      else i.opt_out_keywords
    end,
    opt_out_resume_keywords = case
      when opt_out ? 'resumeKeywords'
      then array(select jsonb_array_elements_text(opt_out->'resumeKeywords'))
      else i.opt_out_resume_keywords
    end,
    opt_out_confirmation = case
      when opt_out ? 'confirmation' then opt_out->>'confirmation' else i.opt_out_confirmation
    end,
    retention_messages_days = case
      when retention ? 'messagesDays' then (retention->>'messagesDays')::integer
      else i.retention_messages_days
    end,
    retention_media_days = case
      when retention ? 'mediaDays' then (retention->>'mediaDays')::integer
      else i.retention_media_days
    end,
    retention_provider_events_days = case
      when retention ? 'providerEventsDays'
      then coalesce((retention->>'providerEventsDays')::integer, 0)
      else i.retention_provider_events_days
    end,
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    requests_per_minute = case
      when settings ? 'requestsPerMinute' then (settings->>'requestsPerMinute')::integer
      else i.requests_per_minute
    end,
    protection = case
      when settings ? 'protection'
        then messaging.changed_protection(i.protection, settings->'protection')
      else i.protection
    end,
    updated_at = now()
  where i.id = write_instance_settings.instance_id
  returning i.* into strict instance;
  if send_window ? 'holidays' then
    delete from messaging.holidays h where h.instance_id = instance.id;
    insert into messaging.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;
  return instance;
end;
$$;
revoke all
on function messaging.write_instance_settings(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.write_instance_settings(uuid, jsonb) to service_role;

-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after 24 hours, provider events after 30 days or what the instance says (retention),
-- messages and files where the instance says how long, delivery events without a message
-- after 7 days, events after 30 days (see purge_events), webhook deliveries after 30 days and those of
-- deleted endpoints, uploads that broke off or that no message names (see purge_uploads), done outbox rows after 7 days, dead outbox rows (a person should see them) after 90
-- days.
-- Contacts, notes and logs belong to the user and stay, and so do messages and files by default.
-- Never waits for a lock, but see purge_messages. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from messaging.idempotency_keys k
  where k.ctid = any (array(
    select e.ctid from messaging.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_provider_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.unmatched_statuses s
  where s.ctid = any (array(
    select e.ctid from messaging.unmatched_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_uploads(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_event_deliveries(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.erased_messages x
  where x.ctid = any (array(
    select e.ctid from messaging.erased_messages e
    where e.erased_at <= clock - interval '30 days'
    order by e.erased_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_told_messages(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_media(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_messages(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;

alter table messaging.instances add column if not exists retention_media_days integer;

alter table messaging.instances add column if not exists retention_messages_days integer;

alter table messaging.instances add column if not exists retention_provider_events_days integer;

alter table messaging.provider_events add column if not exists is_kept_longer boolean default false not null;

comment on column messaging.instances.retention_media_days is
  'After how many days purge_expired lets files go; NULL for never.';

comment on column messaging.instances.retention_messages_days is
  'After how many days purge_expired deletes messages; NULL for never.';

comment on column messaging.instances.retention_provider_events_days is
  'After how many days purge_expired deletes webhook payloads; NULL for 30, 0 for never.';

comment on column messaging.provider_events.is_kept_longer is
  'It is older than 30 days, and its instance keeps it longer: see purge_provider_events.';

alter table messaging.instances add constraint instances_retention_days CHECK (((LEAST(retention_messages_days, retention_media_days) >= 1) AND (retention_provider_events_days >= 0))) not valid;

create index if not exists instances_with_payload_retention on messaging.instances (id)
where retention_provider_events_days > 0;

-- For purge_expired: most instances keep the usual time.
create index if not exists instances_with_retention on messaging.instances (id)
where retention_messages_days is not null or retention_media_days is not null;

create index if not exists media_kept on messaging.media (instance_id, created_at)
where status in ('pending', 'stored');

create index if not exists provider_events_usual_age on messaging.provider_events (received_at)
where not is_kept_longer;

drop index messaging.provider_events_age;
