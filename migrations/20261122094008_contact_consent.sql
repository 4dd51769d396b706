set local check_function_bodies = off;

-- Every statement about a contact's consent to marketing, also those that changed nothing: the proof of
-- what the contact has said. Rows are only added. A merge gives them to the surviving contact, and they
-- go with their contact.
create table messaging.consent_log (
  id bigint generated always as identity primary key,
  instance_id uuid not null,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  marketing text not null,
  said_at timestamptz not null,
  source text not null,
  evidence jsonb,
  message_id uuid,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint consent_log_marketing_known check (marketing in ('granted', 'denied', 'unknown'))
);
create index consent_log_contact on messaging.consent_log (contact_id, id);
alter table messaging.consent_log enable row level security;
revoke all on table messaging.consent_log from public, anon, authenticated, service_role;
grant select, insert, update (contact_id) on table messaging.consent_log to service_role;
comment on column messaging.consent_log.source is
  'api or what the caller gave; keyword, user_preferences or 131050 where the contact said it by the channel.';
comment on column messaging.consent_log.message_id is
  'The message whose whole text was a keyword. The agent does not see it.';

-- Logs what was said about a contact's consent to marketing, and makes it the contact's consent.
-- `statement`: marketing, source, evidence, messageId, and saidAt where the channel told it: when the
-- contact said it. Of two such statements the later one counts, however late its webhook comes; a
-- statement without saidAt was made now. A statement of what is known already is logged, and changes
-- nothing: the consent keeps its instant and its source.
-- Returns whether the consent has changed, with its event recorded and the contact noted. Locks the
-- contact. Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.change_consent(contact_id uuid, statement jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  said_at constant timestamptz := least((statement->>'saidAt')::timestamptz, clock);
  contact messaging.contacts;
begin
  select c.* into contact from messaging.contacts c
  where c.id = change_consent.contact_id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  insert into messaging.consent_log (
    instance_id, contact_id, marketing, said_at, source, evidence, message_id
  ) values (
    contact.instance_id, contact.id, statement->>'marketing', coalesce(said_at, clock),
    statement->>'source', nullif(statement->'evidence', 'null'), (statement->>'messageId')::uuid
  );
  if contact.consent_marketing = statement->>'marketing'
    or contact.consent_source in ('keyword', 'user_preferences') and said_at < contact.consent_at
  then
    return false;
  end if;
  update messaging.contacts c
  set consent_marketing = statement->>'marketing', consent_at = coalesce(said_at, clock),
    consent_source = statement->>'source', updated_at = now()
  where c.id = contact.id
  returning c.* into contact;
  perform messaging.record_consent_event(contact);
  return true;
end;
$$;
revoke all on function messaging.change_consent(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.change_consent(uuid, jsonb) to service_role;

-- A contact's consent to marketing as answers and events show it: {marketing, at, source}.
create or replace function messaging.describe_consent(contact messaging.contacts, time_zone text)
returns jsonb
language plpgsql
stable
parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'marketing', contact.consent_marketing,
    'at', messaging.iso_in_zone(contact.consent_at, time_zone),
    'source', contact.consent_source
  );
end;
$$;
revoke all
on function messaging.describe_consent(messaging.contacts, text)
from public, anon, authenticated;
grant execute
on function messaging.describe_consent(messaging.contacts, text)
to service_role;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: messages, notes,
-- tags, addresses. Values of `kept` win; a name that was given wins over a profile name. Of two consents
-- `denied` wins, then the newer. Deletes `gone`, whose row of contact_activity remains as its tombstone.
-- Locks both contacts, then both conversations: a transaction that writes to `gone` has either
-- committed, and its rows are moved, or finds no such contact and is repeated.
-- Records contact.merged, then what has become of `kept` by it.
-- Returns `kept` as it is now. Errors: 40001 where another call has merged one of them.
create or replace function messaging.merge_contacts(
  kept messaging.contacts,
  gone messaging.contacts
)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  kept_conversation messaging.conversations;
  gone_conversation messaging.conversations;
  merged messaging.contacts;
  still_there integer;
  contact_before jsonb;
  consent_before text;
  conversation_before jsonb;
  paused_until timestamptz;
  changed_at timestamptz;
begin
  perform from messaging.contacts c where c.id in (kept.id, gone.id) order by c.id for update;
  get diagnostics still_there = row_count;
  if still_there < 2 then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  contact_before := messaging.contact_state(kept.id);
  select c.consent_marketing into consent_before from messaging.contacts c where c.id = kept.id;
  kept_conversation := messaging.resolve_conversation(kept.instance_id, kept.id);
  perform from messaging.conversations c
  where c.contact_id in (kept.id, gone.id) order by c.id for update;
  conversation_before := messaging.conversation_state(kept_conversation.id);
  select c.* into gone_conversation from messaging.conversations c where c.contact_id = gone.id;
  if found then
    perform messaging.merge_conversations(kept_conversation, gone_conversation);
  end if;
  insert into messaging.agent_pauses as pause (contact_id, instance_id, paused_until)
  select kept.id, p.instance_id, p.paused_until
  from messaging.agent_pauses p where p.contact_id = gone.id
  on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until
  where excluded.paused_until > pause.paused_until
  returning pause.paused_until into paused_until;
  insert into messaging.contact_tags (contact_id, tag_id)
  select kept.id, t.tag_id from messaging.contact_tags t where t.contact_id = gone.id
  order by t.tag_id
  on conflict do nothing;
  insert into messaging.portfolios (contact_id, instance_id, operator_id, created_at)
  select kept.id, p.instance_id, p.operator_id, p.created_at
  from messaging.portfolios p
  -- Another operator's portfolio would hide the contact from the operator of its conversation.
  join messaging.conversations c on c.id = kept_conversation.id and c.assigned_to = p.operator_id
  where p.contact_id = gone.id
  on conflict do nothing;
  update messaging.contact_addresses a set contact_id = kept.id where a.contact_id = gone.id;
  update messaging.consent_log l set contact_id = kept.id where l.contact_id = gone.id;
  update messaging.contacts c
  set phone = coalesce(c.phone, other.phone),
    name = case when names.is_others then other.name else c.name end,
    is_profile_name = case
      when names.is_others then other.is_profile_name else c.is_profile_name
    end,
    email = coalesce(c.email, other.email),
    company = coalesce(c.company, other.company),
    job_title = coalesce(c.job_title, other.job_title),
    notes = coalesce(c.notes, other.notes),
    utm_source = coalesce(c.utm_source, other.utm_source),
    utm_medium = coalesce(c.utm_medium, other.utm_medium),
    utm_campaign = coalesce(c.utm_campaign, other.utm_campaign),
    custom_labels = case
      when messaging.object_bytes(other.custom_labels || c.custom_labels) <= 64 * 1024
      then other.custom_labels || c.custom_labels
      else c.custom_labels
    end,
    is_favorite = c.is_favorite or other.is_favorite,
    is_archived = c.is_archived and other.is_archived,
    is_blocked = c.is_blocked or other.is_blocked,
    last_inbound_at = greatest(c.last_inbound_at, other.last_inbound_at),
    consent_marketing = case
      when consents.is_others then other.consent_marketing else c.consent_marketing
    end,
    consent_at = case when consents.is_others then other.consent_at else c.consent_at end,
    consent_source = case when consents.is_others then other.consent_source else c.consent_source end,
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from messaging.contacts other
  join messaging.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  cross join lateral (
    select (other.consent_marketing = 'denied', other.consent_at is not null, other.consent_at)
      > (known.consent_marketing = 'denied', known.consent_at is not null, known.consent_at)
  ) as consents(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  perform messaging.fill_contact_activity(array[gone.id]);
  delete from messaging.contacts c where c.id = gone.id;
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    jsonb_build_object('contactId', gone.id, 'mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
  if merged.consent_marketing <> consent_before then
    perform messaging.record_consent_event(merged);
  end if;
  perform messaging.record_conversation_changes(kept_conversation, conversation_before);
  if paused_until > clock_timestamp() then
    perform messaging.record_agent_pauses(array[kept.id]);
  end if;
  changed_at := messaging.change_instant(kept.instance_id);
  -- Tombstones are locked here, not last: whoever touches them holds the contact that is gone now.
  update messaging.contact_activity a
  set merged_into = kept.id, last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, changed_at)
  where a.contact_id = gone.id;
  update messaging.contact_activity a
  set merged_into = kept.id, updated_at = greatest(a.updated_at, changed_at)
  where a.merged_into = gone.id;
  perform messaging.note_contact(kept.id);
  return merged;
end;
$$;
revoke all
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
from public, anon, authenticated;
grant execute
on function messaging.merge_contacts(messaging.contacts, messaging.contacts)
to service_role;

-- Records contact.consent_changed with the contact's consent as it is now, and notes the contact. The
-- caller holds the contact locked.
create or replace function messaging.record_consent_event(contact messaging.contacts)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.note_contact(contact.id);
  perform messaging.record_event(
    contact.instance_id, contact.id, 'contact.consent_changed',
    jsonb_build_object(
      'contactId', contact.id,
      'phone', messaging.contact_display_phone(contact),
      'name', contact.name,
      'consent', messaging.describe_consent(contact, i.time_zone)
    )
  )
  from messaging.instances i
  where i.id = contact.instance_id;
end;
$$;
revoke all
on function messaging.record_consent_event(messaging.contacts)
from public, anon, authenticated;
grant execute on function messaging.record_consent_event(messaging.contacts) to service_role;

-- contacts-api consent: records what a contact has said about marketing messages; see change_consent.
-- `request`: instanceId, one of phone, contactId and userId, marketing, source, evidence, idempotency.
-- Creates the contact of an unknown phone or user id.
-- Returns the outcome: contactId, consent {marketing, at, source}; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_contact_consent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  contact messaging.contacts;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  contact := messaging.resolve_contact_target((request->>'instanceId')::uuid, request);
  perform messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', request->'marketing',
      'source', request->'source',
      'evidence', request->'evidence'
    )
  );
  select jsonb_build_object(
    'contactId', c.id, 'consent', messaging.describe_consent(c, i.time_zone)
  )
  into outcome
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = contact.id;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_contact_consent(jsonb) from public, anon, authenticated;
grant execute on function public.set_contact_consent(jsonb) to service_role;

alter table messaging.contacts add column if not exists consent_at timestamp with time zone;

alter table messaging.contacts add column if not exists consent_marketing text default 'unknown'::text not null;

alter table messaging.contacts add column if not exists consent_source text;

comment on column messaging.contacts.consent_marketing is
  'Whether the contact wants marketing messages, as consent_log tells; since consent_at, by consent_source.';

alter table messaging.contacts add constraint contacts_consent_known CHECK ((consent_marketing = ANY (ARRAY['granted'::text, 'denied'::text, 'unknown'::text]))) not valid;
