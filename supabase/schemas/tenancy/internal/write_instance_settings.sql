-- Writes the settings of an instance, and nothing but what `settings` holds: name, connectedPhone,
-- businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
-- optional}, optOut {keywords, resumeKeywords, confirmation, each optional; a null confirmation is
-- none}, pace {messagesPerSecond} (null removes it), budget (null removes it), protection (see changed_protection), retention {messagesDays, mediaDays, providerEventsDays, each
-- optional; null is for ever}, transcribeVoice, onUnconfirmed, interactiveRendering, readReceipts,
-- freeServiceMessagesPerMonth, directSend, requestsPerMinute (null lifts it),
-- sealedProviderConfig with gatewayInstanceId. The one place that knows which column holds which setting; describe_instance
-- reads them back. Returns the instance. Locks the instance. Raises unique_violation where another
-- instance has one of its ids.
-- Over 80 lines: one for each setting.
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
