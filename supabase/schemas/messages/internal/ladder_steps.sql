-- Lets a message that is in no queue go on by its ladder, as `decided` (see climb_ladder): back into the queue,
-- as its own mode would; or it waits for an answer; or it fails, where no rung is left. `error`: what the channel
-- said. The caller holds the message and its contact. Locks pacing, then dispatch.
create or replace function messaging.go_on_by_ladder(
  instance messaging.instances, message messaging.messages, decided jsonb, error jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  going_on messaging.messages := message;
begin
  if decided ? 'isExhausted' then
    message.is_retryable := false;
    message.ladder := decided;
    message.last_error := messaging.exhausted_error(decided->'passed');
    perform messaging.fail_message(message);
    return;
  end if;
  begin
    going_on.last_error := error;
    going_on.is_retryable := false;
    if decided->'shown'->>'sentAs' = 'invitation' then
      perform messaging.await_reply(instance, going_on, decided, message.mode = 'queued');
      return;
    end if;
    going_on.held_by := null;
    if message.ladder ? 'endsByDefault' then
      going_on.expires_at := null;
    end if;
    going_on.ladder := decided - 'endsByDefault';
    perform messaging.requeue_message(going_on);
  exception when sqlstate 'MI010' then
    message.last_error :=
      '{"code": "send_window_never_opens", "message": "The send window never opens."}';
    perform messaging.fail_message(message);
  end;
end;
$$;

-- The error of a message for which no rung was left, with what was wrong with each. `passed`: see
-- decide_ladder.
create or replace function messaging.exhausted_error(passed jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object(
    'code', 'outside_conversation_window',
    'message', 'The conversation window is closed, and no rung of outsideWindow was left: ' || (
      select string_agg((p.one->>'rung') || ' (' || (p.one->>'reason') || ')', ', ' order by p.place)
      from jsonb_array_elements(passed) with ordinality as p(one, place)
    )
  );
end;
$$;

-- Gives the next rung its turn: the one that a message with a ladder has taken was refused. `error`: the
-- refusal, with its meaning; NULL where the rung can only be decided anew. Returns the ladder as decide_ladder
-- decides it then; NULL where the refusal gives no way to another rung. Changes no message. Locks the contact.
create or replace function messaging.climb_ladder(
  instance messaging.instances, message messaging.messages, error jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  ladder jsonb := message.ladder;
  sent_as constant text := ladder->'shown'->>'sentAs';
  is_closed constant boolean := error->>'meaning' = 'outside_conversation_window';
begin
  if sent_as <> 'invitation'
    and not messaging.gives_way(sent_as, error->>'meaning', ladder ? 'closedAt') then
    return null;
  end if;
  if is_closed then
    -- What the contact wrote after the decision opens it: the channel tells whole seconds, so no clock of ours
    -- could say what came later.
    ladder := ladder || jsonb_build_object(
      'closedAt', coalesce(ladder->>'openSince', '-infinity')
    );
  end if;
  if ladder->>'place' is not null then
    ladder := ladder || jsonb_build_object(
      'from', (ladder->>'place')::integer + 1,
      'refused', coalesce(ladder->'refused', '[]') || jsonb_build_object(
        'rung', ladder->'rungs'->(ladder->>'place')::integer->'rung',
        'reason', coalesce(error->>'meaning', error->>'code', 'not_delivered')
      )
    );
  end if;
  return messaging.decide_ladder(instance, message.contact_id, ladder);
end;
$$;

-- Decides how a message with a ladder goes now: as it is while the contact's window is open, else by the first
-- rung that can be taken, from the place `from` on. The one place that decides: where the call is recorded, when
-- the message leaves, and after the channel has said that the window is closed.
-- Returns the ladder with `place` and shown.sentAs; with isExhausted and passed [{rung, reason}] where none is
-- left, those that the channel has refused first.
-- Locks the contact: what arrives from it meanwhile waits, and then finds what waits for it.
create or replace function messaging.decide_ladder(
  instance messaging.instances, contact_id uuid, ladder jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  told constant jsonb := coalesce(ladder->'shown', '{}') - 'template';
  undecided constant jsonb := ladder - array['place', 'isExhausted', 'passed'];
  passed jsonb := coalesce(ladder->'refused', '[]');
  rung jsonb;
  reason text;
begin
  select c.* into strict contact from messaging.contacts c
  where c.id = decide_ladder.contact_id
  for no key update;
  if messaging.is_window_open(
    instance.provider_class, contact.last_inbound_at, (ladder->>'closedAt')::timestamptz,
    clock_timestamp()
  ) then
    return undecided || jsonb_build_object(
      'shown', told || '{"sentAs": "message"}', 'openSince', contact.last_inbound_at
    );
  end if;
  for place in coalesce((ladder->>'from')::integer, 0)
    .. jsonb_array_length(ladder->'rungs') - 1 loop
    rung := ladder->'rungs'->place;
    reason := messaging.rung_refusal(instance, contact, rung);
    if reason is null then
      return undecided || jsonb_build_object(
        'place', place,
        'shown', told || jsonb_build_object('sentAs', messaging.rung_sent_as(rung)) || case
          when messaging.rung_sent_as(rung) = 'template'
            then jsonb_build_object('template', messaging.rung_template(rung))
          else '{}'
        end
      );
    end if;
    passed := passed || jsonb_build_object('rung', rung->>'rung', 'reason', reason);
  end loop;
  return undecided || jsonb_build_object('isExhausted', true, 'passed', passed);
end;
$$;

-- How a message with a ladder would go at `slot`, by what is known now: the rung that it would take, {} for the
-- message as it is, NULL where no rung is left. `contact`: a row of NULLs for whom no contact exists yet. Decides
-- nothing: see decide_ladder.
create or replace function messaging.planned_rung(
  instance messaging.instances, contact messaging.contacts, ladder jsonb, slot timestamptz
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  rung jsonb;
begin
  if messaging.is_window_open(instance.provider_class, contact.last_inbound_at, null, slot) then
    return '{}';
  end if;
  for rung in select r.value from jsonb_array_elements(ladder->'rungs') as r loop
    if messaging.rung_refusal(instance, contact, rung) is null then
      return rung;
    end if;
  end loop;
  return null;
end;
$$;

-- Why a rung of a ladder cannot be taken now, as answers say it; NULL where it can. `rung`: {rung, reason (what
-- was wrong with it when it was filled), templateId, purpose, …}.
create or replace function messaging.rung_refusal(
  instance messaging.instances, contact messaging.contacts, rung jsonb
) returns text language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  template messaging.message_templates;
begin
  if rung->>'reason' is not null then
    return rung->>'reason';
  elsif rung->>'rung' = 'directSend' then
    return case when not instance.direct_send then 'direct_send_off' end;
  end if;
  select t.* into template from messaging.message_templates t
  where t.id = (rung->>'templateId')::uuid and t.deleted_at is null;
  return case
    when template.id is null then 'template_not_found'
    when template.provider_template_id is null then 'template_not_synced_with_provider'
    when template.provider_status is distinct from 'APPROVED' then 'template_not_approved'
    when messaging.denies_marketing(
      messaging.contact_consent(contact, rung->>'purpose'), rung->>'purpose'
    ) then 'contact_opted_out'
  end;
end;
$$;

-- The files of ours that a ladder's templates have as their headers; empty for none, and for no ladder.
create or replace function messaging.ladder_files(ladder jsonb)
returns uuid[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct (r.rung->>'mediaId')::uuid
    from jsonb_array_elements(ladder->'rungs') as r(rung)
    where r.rung->>'mediaId' is not null
    order by 1
  );
end;
$$;
