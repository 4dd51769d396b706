-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, provider, embedKey, all
--   settings (see write_instance_settings), idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone, the protection
-- contradicts itself or the pace is more than a number has that nothing was told of, or {taken}:
--   the field with a value that another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  workspace messaging.workspaces;
  instance messaging.instances;
  replayed jsonb;
  violated text;
  taken text;
begin
  if not messaging.is_time_zone(request->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  if messaging.protection_issues(request->'protection') is not null then
    return messaging.protection_issues(request->'protection');
  end if;
  if messaging.pace_issues(request->'pace', null) is not null then
    return messaging.pace_issues(request->'pace', null);
  end if;
  begin
    replayed := messaging.begin_idempotent(request);
    if replayed is not null then
      return replayed;
    end if;
    workspace := messaging.find_workspace((request->>'workspaceId')::uuid);
    -- A change of its scope under way would not see this instance.
    select w.* into workspace from messaging.workspaces w where w.id = workspace.id for share;
    insert into messaging.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone,
      people_scope
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      messaging.phone_identity_key(request->>'connectedPhone'), request->>'timeZone',
      workspace.people_scope
    )
    returning * into instance;
    instance := messaging.write_instance_settings(instance.id, request);
    insert into messaging.pacing (instance_id, is_protected)
    values (instance.id, instance.protection is not null);
    insert into messaging.dispatch (instance_id, messages_per_second)
    values (instance.id, instance.messages_per_second);
    return messaging.keep_outcome(request, messaging.describe_instance(instance));
  exception when unique_violation then
    -- Leaving the block rolls the idempotency key back too: nothing was executed under it.
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, request->>'businessInstanceId' is not null);
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
end;
$$;

-- admin-api: one instance. `request`: instanceId (UUID, business instance id or embed key). Returns the
-- instance, or {issues} where the provider's own id stands for instances of several providers.
-- Error: MI014.
create or replace function public.get_instance(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  found_ids constant uuid[] := array(
    select i.id from messaging.find_instances_by_reference(request->>'instanceId') i
  );
begin
  if cardinality(found_ids) > 1 then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId',
      'message', 'is an id of instances at several providers: use the UUID or the embed key'
    )));
  end if;
  return messaging.describe_instance(messaging.find_instance(found_ids[1]));
end;
$$;

-- admin-api: instances, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_instances(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_instance(r))
    from messaging.instances r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is
-- checked again at once, so that new credentials take effect without delay. Another connectedPhone ends or
-- begins the hold of a wrong phone (see hold_wrong_phone).
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid or the
-- pace is more than the number has, or {taken}: the field
--   with a value that another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
  refused jsonb;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  refused := messaging.changed_limit_issues(instance, changes);
  if refused is not null then
    return refused;
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['protection', 'timeZone'] then
    perform messaging.begin_protection(instance);
  end if;
  if changes ?| array['sendWindow', 'timeZone'] or changes ? 'protection' and instance.protection is not null then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'pace' then
    update messaging.dispatch d
    set messages_per_second = messaging.present_pace(instance.messages_per_second, d.allowance),
      slowed_until = '-infinity'
    where d.instance_id = instance.id;
  end if;
  if changes ?| array['budget', 'timeZone'] then
    perform messaging.release_held_messages(instance.id, 'budget', date_trunc('milliseconds', clock_timestamp()));
    if instance.budget is not null then
      perform messaging.tell_budget(instance, clock_timestamp());
    end if;
  end if;
  if changes ? 'sealedProviderConfig' then
    perform messaging.forget_former_session(instance);
  end if;
  if changes ? 'connectedPhone' then
    perform messaging.hold_wrong_phone(instance, clock_timestamp());
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;

-- New credentials open another session: what was reported of the former one says nothing about it.
-- The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_former_session(instance messaging.instances)
returns void language plpgsql set search_path = '' as $$
declare
  was_locked boolean;
begin
  perform messaging.forget_connection(array[instance.id]);
  select d.new_chats_locked_until > clock_timestamp() into strict was_locked
  from messaging.dispatch d where d.instance_id = instance.id for no key update;
  update messaging.dispatch d
  set hold_until = '-infinity', refused_at = '-infinity', webhooks_state = null,
    webhooks_url = null, allowance = null, new_chats_locked_until = '-infinity',
    messages_per_second = messaging.present_pace(instance.messages_per_second, null)
  where d.instance_id = instance.id;
  if was_locked then
    perform messaging.release_held_messages(
      instance.id, 'new_contacts', date_trunc('milliseconds', clock_timestamp())
    );
  end if;
end;
$$;

-- Whether the server knows a time zone by exactly this name.
create or replace function messaging.is_time_zone(name text)
returns boolean language sql stable parallel safe set search_path = '' as $$
  select exists (
    select from pg_catalog.pg_timezone_names z where z.name = is_time_zone.name
  );
$$;

-- admin-api: the issues to answer for a time zone that is_time_zone does not know.
create or replace function messaging.time_zone_issues()
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', 'timeZone', 'message', 'must be the name of an IANA time zone, such as America/Sao_Paulo'
  )));
$$;

-- {issues} where an instance's protection contradicts itself: a warm-up that begins above its target
-- (see day_limit); else NULL.
create or replace function messaging.protection_issues(protection jsonb)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  target constant integer := coalesce((protection->>'dailyLimit')::integer, 1000);
begin
  return case
    when (protection->'warmUp'->>'startPerDay')::integer > target then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'protection.warmUp.startPerDay',
        'message', format('must be at most %s, to which the warm-up rises', target)
      )))
  end;
end;
$$;

-- {issues} where changes of an instance would give it a protection that contradicts itself, or a pace that its
-- number has not got; else NULL. Of the number of other credentials nothing is known.
create or replace function messaging.changed_limit_issues(
  instance messaging.instances, changes jsonb
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  allowance constant jsonb := (
    select d.allowance from messaging.dispatch d
    where d.instance_id = instance.id and not changes ? 'sealedProviderConfig'
  );
begin
  return coalesce(
    case
      when changes ? 'protection' then messaging.protection_issues(
        messaging.changed_protection(instance.protection, changes->'protection')
      )
    end,
    messaging.pace_issues(changes->'pace', allowance)
  );
end;
$$;

-- {issues} where a pace {messagesPerSecond} is more than the number may send by its `allowance` (see
-- allowed_pace); else NULL.
create or replace function messaging.pace_issues(pace jsonb, allowance jsonb)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  allowed constant integer := messaging.allowed_pace(allowance);
begin
  return case
    when (pace->>'messagesPerSecond')::integer > allowed then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'pace.messagesPerSecond',
        'message', format('must be at most %s, the number''s allowance: %s', allowed, case
          when allowance->>'isOnBusinessApp' = 'true'
            then 'it is also used in the WhatsApp Business app'
          when allowance ? 'throughput' then 'the channel told its throughput'
          else 'GET admin-api/instances/{id}/connection asks the channel for more'
        end)
      )))
  end;
end;
$$;

-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, pace {messagesPerSecond} (null removes it), budget (null removes it), protection (see
-- changed_protection), retention {messagesDays, mediaDays, providerEventsDays, each optional; null is for
-- ever}, transcribeVoice, onUnconfirmed, interactiveRendering, readReceipts, freeServiceMessagesPerMonth,
-- directSend, configureWebhooks, requestsPerMinute (null lifts it), sealedProviderConfig with
-- gatewayInstanceId. The one place that knows which column holds which setting; describe_instance reads them
-- back. Returns the instance. Locks the instance. Raises unique_violation where another instance has one of
-- its ids.
-- Over 80 lines: one for each setting.
create or replace function messaging.write_instance_settings(instance_id uuid, settings jsonb)
returns messaging.instances language plpgsql set search_path = '' as $$
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
    messages_per_second = case
      when settings ? 'pace' then (settings->'pace'->>'messagesPerSecond')::integer
      else i.messages_per_second
    end,
    budget = case when settings ? 'budget' then nullif(settings->'budget', 'null') else i.budget end,
    transcribe_voice = coalesce(settings->>'transcribeVoice', i.transcribe_voice),
    free_service_messages_per_month = coalesce(
      (settings->>'freeServiceMessagesPerMonth')::integer, i.free_service_messages_per_month
    ),
    direct_send = coalesce((settings->>'directSend')::boolean, i.direct_send),
    idle = case
      when settings ? 'idle' then nullif(nullif(settings->'idle', 'null'), '[]') else i.idle
    end,
    turns = case when settings ? 'turns' then nullif(settings->'turns', 'null') else i.turns end,
    configure_webhooks = coalesce((settings->>'configureWebhooks')::boolean, i.configure_webhooks),
    read_receipts = coalesce(settings->>'readReceipts', i.read_receipts),
    on_unconfirmed = coalesce(settings->>'onUnconfirmed', i.on_unconfirmed),
    interactive_rendering = coalesce(settings->>'interactiveRendering', i.interactive_rendering),
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

-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function messaging.describe_instance(instance messaging.instances)
returns jsonb language sql stable parallel safe set search_path = '' as $$
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
    'pace', case
      when instance.messages_per_second is not null
        then jsonb_build_object('messagesPerSecond', instance.messages_per_second)
    end,
    'budget', instance.budget,
    'idle', coalesce(instance.idle, '[]'),
    'turns', instance.turns,
    'transcribeVoice', instance.transcribe_voice,
    'onUnconfirmed', instance.on_unconfirmed,
    'interactiveRendering', instance.interactive_rendering,
    'readReceipts', instance.read_receipts,
    'directSend', instance.direct_send,
    'configureWebhooks', instance.configure_webhooks,
    'freeServiceMessagesPerMonth', instance.free_service_messages_per_month,
    'requestsPerMinute', instance.requests_per_minute,
    'allowance', (
      select messaging.shown_allowance(
        d.allowance, instance.provider_class, clock_timestamp(), 'UTC'
      )
      from messaging.dispatch d where d.instance_id = instance.id
    ),
    'historyImport', messaging.shown_history_import(instance.id),
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', messaging.iso_in_zone(instance.created_at, 'UTC')
  );
$$;

-- Which field of a request has another instance's value, given the unique index that refused it: the
-- business instance id where the call sets one, else the provider's own id. NULL for any other index.
create or replace function messaging.taken_instance_field(
  index_name text, changes_business_id boolean
) returns text language sql immutable parallel safe set search_path = '' as $$
  select case
    when index_name = 'instances_gateway_id' then 'gatewayInstanceId'
    when index_name not like 'instances\_name\_at\_%' then null
    when changes_business_id then 'businessInstanceId'
    else 'gatewayInstanceId'
  end;
$$;

-- An instance's protection after a change: what is given replaces what is set, member by member; a null
-- member removes it, and null the whole. NULL where nothing remains.
create or replace function messaging.changed_protection(protection jsonb, changes jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
  select case
    when jsonb_typeof(changes) = 'object'
      then nullif(jsonb_strip_nulls(coalesce(protection, '{}') || changes), '{}')
  end;
$$;
