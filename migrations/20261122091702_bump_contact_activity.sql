set local check_function_bodies = off;

-- Records those of the `calls` that are plain (see plain_acceptances) in few statements, each for all of
-- them: most of what an accepted message costs is the start of statements.
-- Returns the results as accept_message gives them, in the order of the calls, with NULL for each call
-- of which nothing was written.
-- Serves batches alone: a single call costs less by record_plain_call.
-- Locks and errors: see accept_messages.
-- Plans must not depend on statistics: the tables may hold ten rows or millions. The steps inherit the
-- settings below.
create or replace function messaging.accept_plain_calls(calls jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  plain messaging.acceptance[] := messaging.plain_acceptances(calls, null);
  has_keys boolean;
  is_incomplete boolean;
  used_tokens uuid[];
  changed uuid[];
begin
  if plain is null then
    return (select jsonb_agg(null::jsonb) from jsonb_array_elements(calls));
  end if;
  select bool_or(p.idempotency is not null),
    bool_or(p.conversation_id is null or p.has_active_agent),
    array_agg(p.token_id) filter (where p.token_id is not null and p.is_token_use_due),
    -- Who gets a conversation or whose agent is paused; a new contact needs no further note.
    array_agg(distinct p.contact_id) filter (
      where p.contact_id is not null and (p.conversation_id is null or p.has_active_agent)
    )
  into has_keys, is_incomplete, used_tokens, changed
  from unnest(plain) as p;
  if used_tokens is not null then
    perform messaging.note_token_use(used_tokens);
  end if;
  if has_keys then
    plain := messaging.take_keys(plain);
  end if;
  if is_incomplete then
    plain := messaging.complete_acceptances(calls, plain);
  end if;
  perform messaging.write_acceptances(plain);
  if changed is not null then
    perform messaging.touch_contacts(changed);
  end if;
  return messaging.describe_acceptances(plain, jsonb_array_length(calls));
end;
$$;
revoke all on function messaging.accept_plain_calls(jsonb) from public, anon, authenticated;
grant execute on function messaging.accept_plain_calls(jsonb) to service_role;

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Returns whether it changed anything. Locks the message, then pacing.
create or replace function messaging.advance_message(
  message_id uuid,
  provider_message_id text,
  status text,
  occurred_at timestamptz,
  error jsonb
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved_instance_id uuid;
  moved_contact_id uuid;
  is_newly_sent boolean;
begin
  update messaging.messages m
  set status = advance_message.status,
    provider_message_id = case
      when m.status in ('queued', 'sending', 'unconfirmed', 'failed', 'canceled')
        then coalesce(advance_message.provider_message_id, m.provider_message_id)
      else coalesce(m.provider_message_id, advance_message.provider_message_id)
    end,
    sent_at = case
      when advance_message.status = 'failed' then m.sent_at
      else coalesce(m.sent_at, greatest(least(occurred_at, m.unconfirmed_at), m.created_at))
    end,
    delivered_at = case
      when advance_message.status in ('delivered', 'read') then coalesce(m.delivered_at, occurred_at)
      else m.delivered_at
    end,
    read_at = case when advance_message.status = 'read' then occurred_at else m.read_at end,
    failed_at = case when advance_message.status = 'failed' then occurred_at end,
    canceled_at = null,
    unconfirmed_at = null,
    is_retryable = false,
    last_error = case when advance_message.status = 'failed' then error end
  from (
    select f.id, f.sent_at from messaging.messages f
    where f.id = advance_message.message_id
    for no key update
  ) as former
  where m.id = former.id
    and case messaging.message_transition(m.status, advance_message.status)
      when 'always' then true
      when 'new_id' then coalesce(m.provider_message_id <> advance_message.provider_message_id, true)
      when 'claimed_new_id' then
        coalesce(m.provider_message_id <> advance_message.provider_message_id, true) and exists (
          select from messaging.message_queue q
          where q.message_id = m.id and q.claim_token is not null
        )
      when 'same_id' then coalesce(m.provider_message_id = advance_message.provider_message_id, true)
      when 'other_id' then m.provider_message_id <> advance_message.provider_message_id
      else false
    end
  returning m.instance_id, m.contact_id, former.sent_at is null and m.sent_at is not null
  into moved_instance_id, moved_contact_id, is_newly_sent;
  if not found then
    return false;
  end if;
  if is_newly_sent then
    perform messaging.note_contact(moved_contact_id);
  end if;
  -- Waits for a claim under way, which itself waits for no lock: if it rolls back, its row must go too.
  delete from messaging.message_queue q
  where q.message_id = advance_message.message_id and q.claim_token is null;
  if found then
    perform from messaging.pacing p where p.instance_id = moved_instance_id for no key update;
    perform messaging.refresh_dispatch(array[moved_instance_id]);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.advance_message(uuid, text, text, timestamptz, jsonb)
to service_role;

-- Gives a contact tags by name, creating those that the instance does not have yet, each with a
-- random colour (specification, section 2). Names are compared without regard to case and returned
-- as first written, in the order asked for. NULL names mean none.
create or replace function messaging.apply_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if names is null or names in ('null', '[]') then
    return jsonb '[]';
  end if;
  -- All calls insert in one order, so that two calls with the same tags do not deadlock.
  insert into messaging.tags (instance_id, name, color)
  select apply_tags.instance_id, (array_agg(wanted.name order by wanted.place))[1],
    '#' || lpad(to_hex(floor(random() * 16777216)::integer), 6, '0')
  from jsonb_array_elements_text(names) with ordinality as wanted(name, place)
  group by lower(wanted.name)
  order by lower(wanted.name)
  on conflict do nothing;
  insert into messaging.contact_tags (contact_id, tag_id)
  select apply_tags.contact_id, t.id
  from messaging.tags t
  where t.instance_id = apply_tags.instance_id
    and lower(t.name) in (select lower(w.name) from jsonb_array_elements_text(names) as w(name))
  order by t.id
  on conflict do nothing;
  if found then
    perform messaging.note_contact(apply_tags.contact_id);
  end if;
  return (
    select jsonb_agg(applied.name order by applied.place)
    from (
      select t.name, min(w.place) as place
      from jsonb_array_elements_text(names) with ordinality as w(name, place)
      join messaging.tags t
        on t.instance_id = apply_tags.instance_id and lower(t.name) = lower(w.name)
      group by t.name
    ) as applied
  );
end;
$$;
revoke all on function messaging.apply_tags(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.apply_tags(uuid, uuid, jsonb) to service_role;

-- Gives a contact without a phone the phone that it has shown. From now on the phone is its identity.
-- A contact that has the phone already is the same person: the two are merged.
-- Returns the contact as it is now. Errors: 40001 where another call has merged one of them.
create or replace function messaging.assign_contact_phone(contact messaging.contacts, phone text)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  other messaging.contacts;
  shown messaging.contacts;
  before jsonb;
begin
  if contact.phone is not null or phone !~ '^[0-9]{8,15}$' then
    return contact;
  end if;
  other := messaging.find_contact(contact.instance_id, phone);
  if other.id <> contact.id then
    return messaging.merge_contacts(other, contact);
  end if;
  perform from messaging.contacts c where c.id = contact.id and c.phone is null for update;
  if not found then
    return contact;
  end if;
  before := messaging.contact_state(contact.id);
  update messaging.contacts c
  set phone = assign_contact_phone.phone, identity_key = messaging.phone_identity_key(assign_contact_phone.phone),
    updated_at = now()
  where c.id = contact.id
  returning c.* into shown;
  perform messaging.record_contact_changes(contact.instance_id, contact.id, before);
  perform messaging.note_contact(contact.id);
  return shown;
end;
$$;
revoke all
on function messaging.assign_contact_phone(messaging.contacts, text)
from public, anon, authenticated;
grant execute on function messaging.assign_contact_phone(messaging.contacts, text) to service_role;

-- Claims the message of a repeated call for another immediate attempt, after a refusal that its provider
-- calls temporary (decisions, section 5, Idempotency-Key). It is the same message: its stored content is
-- sent, and nothing else of the call is done again but the pause of the agent, as with any accepted call.
-- `request` is accept_message's; `known` is what begin_idempotent said, isAttemptDue.
-- Returns {attempted: {outcome, message (see claimed_messages)}}: the caller holds the claim for
-- leaseSeconds and must settle it.
-- Locks the message; the caller holds the key, so that of two equal calls one attempts.
-- Errors: MI005, MI006 (as for a first attempt); MI007 (another one came first, by retry_message or a
-- delivery event).
create or replace function messaging.attempt_again(request jsonb, known jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  instance messaging.instances;
  outcome jsonb := known->'outcome';
  lease_until timestamptz;
  paused_until timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = (known->>'messageId')::uuid
  for no key update;
  if message.id is null or message.status <> 'failed' or not message.is_retryable
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  perform messaging.refuse_unreachable_contact(instance, contact, message.message_type);
  lease_until := clock_timestamp() + make_interval(
    secs => (request->'delivery'->>'leaseSeconds')::double precision
  );
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  values (
    message.id, instance.id, 'unpaced', clock_timestamp(), lease_until, 1, 1, gen_random_uuid(),
    lease_until
  );
  update messaging.messages m
  set status = 'sending', failed_at = null, confirmed_by_echo = false
  where m.id = message.id;
  if message.agent_id is null and message.sent_by is distinct from 'ai_agent' then
    paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
    outcome := outcome || jsonb_build_object(
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
    );
    if paused_until is not null then
      perform messaging.touch_contacts(array[contact.id]);
    end if;
  end if;
  perform messaging.keep_outcome(request, outcome, message.id);
  return jsonb_build_object('attempted', jsonb_build_object(
    'outcome', outcome,
    'message', messaging.claimed_messages(array[message.id])->0
  ));
end;
$$;
revoke all on function messaging.attempt_again(jsonb, jsonb) from public, anon, authenticated;
grant execute on function messaging.attempt_again(jsonb, jsonb) to service_role;

-- Merges two contacts that are the same person. Everything of `gone` moves to `kept`: messages, notes,
-- tags, addresses. Values of `kept` win; a name that was given wins over a profile name. Deletes
-- `gone`, whose row of contact_activity remains as its tombstone.
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
    created_at = least(c.created_at, other.created_at),
    updated_at = now()
  from messaging.contacts other
  join messaging.contacts known on known.id = kept.id
  cross join lateral (
    select known.name is null
      or known.is_profile_name and other.name is not null and not other.is_profile_name
  ) as names(is_others)
  where c.id = known.id and other.id = gone.id
  returning c.* into merged;
  perform messaging.fill_contact_activity(array[gone.id]);
  delete from messaging.contacts c where c.id = gone.id;
  perform messaging.record_event(
    gone.instance_id, gone.id, 'contact.merged',
    jsonb_build_object('contactId', gone.id, 'mergedInto', kept.id)
  );
  perform messaging.record_contact_changes(kept.instance_id, kept.id, contact_before);
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

-- Merges the duplicates of messages whose provider ids have just become known: under the same id a
-- gateway had reported an echo, stored as typed on the phone or taken as the proof of another message.
-- The duplicate is deleted, and its delivery becomes the message's. Its placeholder contact, known by
-- a hidden address alone, is merged into the message's contact. A message that the echo had confirmed
-- wrongly becomes `unconfirmed` again.
create or replace function messaging.merge_echo_duplicates(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  duplicate record;
  contact messaging.contacts;
  placeholder messaging.contacts;
begin
  for duplicate in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at
    from messaging.messages m
    -- "offset 0" keeps the plan from beginning with all echoes, of which statistics may know none.
    cross join lateral (
      select told.* from messaging.messages told
      where told.instance_id = m.instance_id
        and told.provider_message_id = m.provider_message_id
        and told.id <> m.id
        and (told.is_typed_on_phone or told.confirmed_by_echo)
      offset 0
    ) as e
    where m.id = any (message_ids)
  loop
    perform messaging.note_contact(duplicate.contact_id);
    perform messaging.note_contact(duplicate.echo_contact_id);
    if duplicate.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
    else
      delete from messaging.messages e where e.id = duplicate.echo_id;
    end if;
    if duplicate.status in ('delivered', 'read') then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, duplicate.status, duplicate.arrived_at, null
      );
    end if;
    if duplicate.status = 'failed' then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, 'failed', duplicate.failed_at, duplicate.last_error
      );
    end if;
    continue when duplicate.confirmed_by_echo;
    select c.* into contact from messaging.contacts c where c.id = duplicate.contact_id;
    select c.* into placeholder from messaging.contacts c
    where c.id = duplicate.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- A placeholder contact without any other message was paused by our own words.
      delete from messaging.agent_pauses p
      where p.contact_id = placeholder.id
        and not exists (select from messaging.messages m where m.contact_id = placeholder.id);
      perform messaging.merge_contacts(contact, placeholder);
    end if;
  end loop;
end;
$$;
revoke all on function messaging.merge_echo_duplicates(uuid[]) from public, anon, authenticated;
grant execute on function messaging.merge_echo_duplicates(uuid[]) to service_role;

-- Notes that this transaction has changed what reading a contact or its conversation shows.
-- The rows of contact_activity are locked last, and all in one order, so a step in the middle of a
-- transaction only notes its contact. Each RPC with such steps ends with touch_noted_contacts.
-- The note is a setting of the transaction: it goes with it, and with a savepoint that is rolled back.
create or replace function messaging.note_contact(contact_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := coalesce(current_setting('messaging.noted_contacts', true), '');
begin
  if strpos(noted, contact_id::text) = 0 then
    perform set_config('messaging.noted_contacts', noted || contact_id || ' ', true);
  end if;
end;
$$;
revoke all on function messaging.note_contact(uuid) from public, anon, authenticated;
grant execute on function messaging.note_contact(uuid) to service_role;

-- Stores the addresses by which a message reached a contact: from now on each of them finds it. The
-- first one is where messages go. Addresses of other contacts stay theirs. A contact that has changed
-- its number and writes from an earlier one is shown with that one again: that is recorded as an event.
-- The caller holds the contact locked.
create or replace function messaging.prove_addresses(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  has_moved constant boolean := exists (
    select from messaging.contact_addresses a
    where a.contact_id = prove_addresses.contact_id and a.changed_by is not null
  );
  before jsonb;
begin
  if has_moved then
    before := messaging.contact_state(contact_id);
  end if;
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (messaging.phone_identity_key(seen.address))
    prove_addresses.instance_id, seen.address, prove_addresses.contact_id,
    case when seen.place = 1 then clock_timestamp() else '-infinity' end
  from unnest(addresses) with ordinality as seen(address, place)
  order by messaging.phone_identity_key(seen.address), seen.place
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id and excluded.proven_at > '-infinity'
    and (
      a.address <> excluded.address
      or a.proven_at < clock_timestamp() - interval '1 hour'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  perform messaging.note_contact(prove_addresses.contact_id);
  if has_moved then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
end;
$$;
revoke all
on function messaging.prove_addresses(uuid, uuid, text[])
from public, anon, authenticated;
grant execute on function messaging.prove_addresses(uuid, uuid, text[]) to service_role;

-- Writes into contact_activity what the last messages of these contacts are. The caller has locked their
-- rows, by touch_contacts. Of each contact it looks at the 50 newest messages.
-- The channel tells an inbound message's time in whole seconds: one of the second in which we wrote
-- counts as the later one if it came after ours.
-- Plans must not depend on statistics.
create or replace function messaging.read_last_messages(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  update messaging.contact_activity a
  set last_message_at = last.message_at,
    awaits_reply = coalesce(
      last.inbound_at is not null and (
        last.outbound_at is null or last.inbound_at > last.outbound_at
        or last.inbound_at >= date_trunc('second', last.outbound_at)
          and last.inbound_stored_at >= last.outbound_at
      ),
      false
    )
  from unnest(contact_ids) as touched(contact_id)
  cross join lateral (
    select max(m.sent_at) as message_at,
      max(m.sent_at) filter (where m.direction = 'inbound') as inbound_at,
      max(m.created_at) filter (where m.direction = 'inbound') as inbound_stored_at,
      max(m.sent_at) filter (where m.direction = 'outbound') as outbound_at
    from (
      select n.sent_at, n.created_at, n.direction
      from messaging.messages n
      where n.contact_id = touched.contact_id and n.sent_at is not null
      order by n.sent_at desc
      limit 50
    ) as m
  ) as last
  where a.contact_id = any (array[touched.contact_id]);
end;
$$;
revoke all on function messaging.read_last_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.read_last_messages(uuid[]) to service_role;

-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
create or replace function messaging.record_contact_changes(
  instance_id uuid,
  contact_id uuid,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  state constant jsonb := messaging.contact_state(contact_id);
  changed constant text[] := array(
    select f.key from jsonb_each(before) as f where f.value <> state->f.key order by f.key
  );
begin
  if changed = '{}' then
    return;
  end if;
  perform messaging.note_contact(contact_id);
  perform messaging.record_event(
    record_contact_changes.instance_id, record_contact_changes.contact_id, 'contact.updated',
    jsonb_build_object(
      'contactId', record_contact_changes.contact_id,
      'phone', state->'phone',
      'name', state->'name',
      'fieldsUpdated', changed
    )
  );
end;
$$;
revoke all
on function messaging.record_contact_changes(uuid, uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_contact_changes(uuid, uuid, jsonb) to service_role;

-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  state constant jsonb := messaging.conversation_state(conversation.id);
  ids constant jsonb := jsonb_build_object(
    'contactId', conversation.contact_id, 'conversationId', conversation.id
  );
begin
  if state <> before then
    perform messaging.note_contact(conversation.contact_id);
  end if;
  if state->'assignment' <> before->'assignment' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.assigned',
      ids || (state->'assignment') || jsonb_build_object(
        'operatorId', state->'assignment'->'assignedTo',
        'previousAssignedTo', before->'assignment'->'assignedTo'
      )
    );
  end if;
  if state->'status' <> before->'status' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.status_changed',
      ids || jsonb_build_object('status', state->'status')
    );
  end if;
end;
$$;
revoke all
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
to service_role;

-- Stores a message that a person wrote: the contact, or somebody on the business's own phone.
-- An inbound message opens a closed conversation and requests the agent's answer. An echo pauses the
-- agent, as any operator's message does. Groups and reactions do neither, and a message that the
-- channel does not show (isUnreadable) requests no answer.
-- Returns false for a message that is stored already, unless the event edits its words.
-- The caller holds lock_provider_messages for the message.
create or replace function messaging.record_message_event(instance messaging.instances, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  is_inbound constant boolean := event->>'origin' = 'inbound';
  is_reaction constant boolean := coalesce((event->>'isReaction')::boolean, false);
  is_group constant boolean := coalesce((event->>'isGroup')::boolean, false);
  written_at constant timestamptz := messaging.event_instant(event);
  contact messaging.contacts;
  conversation messaging.conversations;
  message_id uuid;
begin
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id and m.provider_message_id = event->>'providerMessageId'
  ) then
    return (event->>'isEdit')::boolean is true and messaging.record_message_edit(instance.id, event);
  end if;
  contact := messaging.resolve_sender(instance.id, event);
  if coalesce((event->>'mayBeOurs')::boolean, false)
    and messaging.match_echo(instance.id, contact.id, event) then
    return true;
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  insert into messaging.messages (
    instance_id, contact_id, conversation_id, direction, message_type, message, content,
    sent_by, is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at
  )
  values (
    instance.id, contact.id, conversation.id,
    case when is_inbound then 'inbound' else 'outbound' end,
    event->>'messageType', event->>'message', nullif(event->'content', 'null'),
    case when not is_inbound then 'phone' end, not is_inbound,
    case when is_inbound then 'received' else 'sent' end,
    event->>'providerMessageId', written_at, is_group, event->>'chatName',
    -- Not the transaction's instant: messages of one delivery keep their order by it.
    clock_timestamp()
  )
  returning id into message_id;
  perform messaging.note_contact(contact.id);
  if not is_inbound then
    perform messaging.apply_unmatched_statuses(array[message_id]);
    if not is_group and not is_reaction then
      perform messaging.pause_agent(instance.id, contact.id, written_at);
    end if;
    return true;
  end if;
  update messaging.contacts c
  set name = coalesce(c.name, event->>'contactName'),
    is_profile_name = c.is_profile_name or c.name is null and event->>'contactName' is not null,
    last_inbound_at = greatest(c.last_inbound_at, written_at)
  where c.id = contact.id
    -- Each update leaves a row version that the rest of the delivery reads past.
    and (
      c.name is null and event->>'contactName' is not null
      or c.last_inbound_at is null or c.last_inbound_at < written_at
    );
  if contact.name is null and event->>'contactName' is not null then
    perform messaging.record_contact_changes(instance.id, contact.id, jsonb '{"name": null}');
  end if;
  perform messaging.reopen_conversation(conversation.id);
  if not is_group and not is_reaction and (event->>'isUnreadable')::boolean is not true then
    perform messaging.request_agent_reply(instance, contact.id, conversation.id);
  end if;
  return true;
end;
$$;
revoke all
on function messaging.record_message_event(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_message_event(messaging.instances, jsonb)
to service_role;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses. A contact that is known by
-- the new number only since yesterday, by a message it wrote, is the same person; any other contact
-- may be the number's former owner and keeps it. Returns whether a contact was found.
-- Errors: 40001 where another call has merged it.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts := messaging.find_contact(instance_id, event->>'oldAddress');
  other messaging.contacts := messaging.find_contact(instance_id, event->>'newAddress');
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
begin
  if contact.id is null or exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  if other.id <> contact.id then
    -- A user id is never given to another person: its contact is this person.
    if (
      is_user_id and contact.phone is not null and other.phone is not null
    ) or (
      not is_user_id
      and (other.origin <> 'inbound' or other.created_at < clock_timestamp() - interval '1 day')
    ) then
      return false;
    end if;
    contact := case
      when is_user_id and contact.phone is null then messaging.merge_contacts(other, contact)
      else messaging.merge_contacts(contact, other)
    end;
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  insert into messaging.contact_addresses as a (
    instance_id, address, contact_id, proven_at, changed_by
  )
  values (
    record_number_change.instance_id, event->>'newAddress', contact.id,
    case
      when not is_user_id then clock_timestamp()
      when contact.phone is null then greatest(moved_proven_at, clock_timestamp())
      else coalesce(moved_proven_at, '-infinity')
    end,
    event->>'eventId'
  )
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address, changed_by = excluded.changed_by
  where a.contact_id = excluded.contact_id;
  is_recorded := found;
  perform messaging.record_contact_changes(instance_id, contact.id, before);
  if is_recorded then
    perform messaging.note_contact(contact.id);
  end if;
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

-- accept_message: records a plain sending call in as few statements as it takes: what a call costs is
-- mostly the start of its statements. Plain is a message of a person or a system, without an
-- assignment and without an agent, to a contact that is found by its own phone, has a conversation and
-- may be written to, by a client that is authenticated (see require_client).
-- `request`, the result, the order of the locks and the errors are accept_message's. Each step does what
-- the step of the same name in record_sending_call does.
-- Returns NULL where the call is not plain: nothing is written or locked then, and nothing refused.
-- Plans must not depend on statistics: there may be ten contacts or a million.
-- Errors: 40001 where the contact was merged since it was read; the call must be repeated.
create or replace function messaging.record_plain_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  draft constant jsonb := request->'message';
  delivery constant jsonb := request->'delivery';
  given_hash constant text := request->'authentication'->>'tokenHash';
  given_phone constant text := request->>'phone';
  wanted_key constant text := messaging.phone_identity_key(given_phone);
  has_key constant boolean := request->>'idempotency' is not null;
  clock constant timestamptz := clock_timestamp();
  is_immediate constant boolean := (delivery->>'queued')::boolean is not true
    and (delivery->>'isDeferred')::boolean is not true
    and coalesce((delivery->>'delaySeconds')::double precision, 0) <= 0;
  lease_ends_at timestamptz;
  message_id constant uuid := gen_random_uuid();
  claim_token constant uuid := gen_random_uuid();
  mode text := 'sent';
  status constant text := case when is_immediate then 'sending' else 'queued' end;
  known record;
  recorded jsonb;
  paused_until timestamptz;
  placed record;
  slot timestamptz;
  held_by text;
begin
  if draft->>'messageType' is null or draft->>'sentBy' = 'ai_agent'
    or request->>'assignment' is not null or request->>'agent' is not null then
    return null;
  end if;
  select i.id as instance_id, case when not is_immediate then i end as instance, i.time_zone, i.requests_per_minute, t.id as token_id,
    t.last_used_at is null or t.last_used_at < clock - interval '1 minute'
      as is_token_use_due,
    c.id as contact_id, c.phone, v.id as conversation_id, v.assigned_to, sending.address,
    agent.is_active as has_agent
  into known
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  join messaging.conversations v on v.contact_id = c.id
  left join messaging.client_tokens t
    on t.token_hash = given_hash and t.instance_id = i.id
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock)
    and (t.scopes is null or 'send' = any (t.scopes))
    and i.xmin::text = request->'authentication'->>'instanceVersion'
  left join lateral (
    select a.address from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as sending on true
  -- The first row says enough, however many agents are active.
  left join messaging.ai_agents agent on agent.instance_id = i.id and agent.is_active
  where c.instance_id = (request->>'instanceId')::uuid and c.identity_key = wanted_key
    and not c.is_blocked
    and not (
      i.provider_class = 'official' and draft->>'messageType' <> 'template'
      and coalesce(c.last_inbound_at, 'infinity') < clock - interval '24 hours'
    )
    and (request->>'authentication' is null or t.id is not null);
  if not found then
    return null;
  end if;
  if known.token_id is not null and known.is_token_use_due then
    perform messaging.note_token_use(array[known.token_id]);
  end if;

  if has_key then
    recorded := messaging.begin_idempotent(request);
    if (recorded->'replayed'->>'isAttemptDue')::boolean then
      recorded := messaging.attempt_again(request, recorded->'replayed');
    end if;
  end if;
  if recorded is null then
    perform from messaging.contacts c where c.id = known.contact_id for key share;
    if not found then
      raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
    end if;
    if known.has_agent then
      paused_until := messaging.pause_agent(known.instance_id, known.contact_id, clock_timestamp());
    end if;
    if is_immediate then
      -- place_message, written out. The lease begins after all waits.
      lease_ends_at := clock_timestamp()
        + make_interval(secs => (delivery->>'leaseSeconds')::double precision);
      insert into messaging.message_queue (
        message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts,
        claim_token, lease_until
      ) values (
        message_id, known.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease_ends_at, 1,
        1, claim_token, lease_ends_at
      );
    else
      placed := messaging.place_message(
        message_id, known.instance, delivery,
        interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
      );
      mode := placed.mode;
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
      held_by, phone_given, metadata
    ) values (
      message_id, known.instance_id, known.contact_id, known.conversation_id, 'outbound',
      draft->>'messageType', draft->>'message', nullif(draft->'content', 'null'),
      draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then known.assigned_to end,
      (draft->>'delayTypingMs')::integer, mode, (delivery->>'intervalSeconds')::integer,
      status, slot, held_by,
      nullif(given_phone, known.phone), nullif(draft->'metadata', 'null')
    );
    if not is_immediate then
      placed := messaging.held_departure(message_id, known.instance, slot, held_by);
      slot := placed.slot;
      held_by := placed.held_by;
    end if;
    if paused_until is not null then
      perform messaging.touch_contacts(array[known.contact_id]);
    end if;
    recorded := jsonb_build_object(
      'mode', mode,
      'contactId', known.contact_id,
      'conversationId', known.conversation_id,
      'agentId', null,
      'assignment', null,
      'messageId', message_id,
      'status', status,
      'scheduledFor', messaging.iso_in_zone(slot, known.time_zone),
      'heldBy', held_by,
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, known.time_zone),
      'claimToken', case when is_immediate then claim_token end,
      'to', case when is_immediate then coalesce(known.address, given_phone) end
    );
    if has_key then
      perform messaging.keep_outcome(request, recorded - '{claimToken,to}'::text[], message_id);
    end if;
  end if;
  return messaging.count_recorded_call(
    recorded, known.token_id, request->'authentication'->>'functionName', known.requests_per_minute
  );
end;
$$;
revoke all on function messaging.record_plain_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_call(jsonb) to service_role;

-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[]
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  messages messaging.plain_event[];
  statuses messaging.plain_event[];
  changed integer[] := '{}';
  unchanged integer[] := '{}';
  recorded integer[] := array_fill(null::integer, array[jsonb_array_length(calls)]);
  told record;
  place integer;
begin
  select r.messages, r.statuses into messages, statuses from messaging.read_plain_events(calls) r;
  perform messaging.lock_plain_events(messages || statuses);
  if messages is not null then
    changed := messaging.record_plain_messages(messages);
    if cardinality(changed) < cardinality(messages) then
      messages := array(select e from unnest(messages) as e where e.place <> all (changed));
      if messaging.add_new_senders(messages) then
        changed := changed || messaging.record_plain_messages(messages);
      end if;
    end if;
  end if;
  if statuses is not null then
    select s.changed, s.unchanged into told from messaging.record_plain_statuses(statuses) s;
    changed := changed || told.changed;
    unchanged := unchanged || told.unchanged;
  end if;
  perform messaging.touch_noted_contacts();
  foreach place in array changed loop
    recorded[place] := 1;
  end loop;
  foreach place in array unchanged loop
    recorded[place] := 0;
  end loop;
  return recorded;
end;
$$;
revoke all on function messaging.record_plain_events(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_plain_events(jsonb) to service_role;

-- Records inbound messages of known persons and their payloads, as record_message_event does: one
-- statement for all of them.
-- Returns the places of the recorded events. Leaves the others untouched: those of unknown persons, of
-- addresses that belong to several contacts, of messages that are stored already, and of instances
-- whose credentials have been replaced.
-- The caller holds lock_plain_events. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.record_plain_messages(events messaging.plain_event[])
returns integer[]
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  recorded integer[] := '{}';
  named uuid[] := '{}';
  stored record;
begin
  for stored in
    with known as (
      select e.*, contact.id as contact_id, contact.is_nameless, conversation.id as conversation_id,
        conversation.status as conversation_status, conversation.agent_id
      from unnest(events) as e
      cross join lateral (
        select true from messaging.instances i
        where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
        limit 1
      ) as instance
      cross join lateral (
        select c.id, c.phone, c.name is null as is_nameless
        from messaging.contacts c
        where c.id = coalesce(
          (
            select own.id from messaging.contacts own
            where own.instance_id = e.instance_id and own.identity_key = e.identity_keys[1]
          ),
          (
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = e.identity_keys[1]
          )
        )
        -- Finds no contact that is merged meanwhile.
        for no key update of c
      ) as contact
      cross join lateral (
        select v.id, v.status, v.agent_id from messaging.conversations v
        where v.contact_id = contact.id
        limit 1
      ) as conversation
      where (contact.phone is not null or e.addresses[1] !~ '^[0-9]{8,15}$')
        -- Not EXISTS: its plan may read all rows of the instance.
        and (
          select true from messaging.messages m
          where m.instance_id = e.instance_id and m.provider_message_id = e.provider_message_id
          limit 1
        ) is null
        and (
          select true
          from unnest(e.identity_keys) as seen(identity_key)
          cross join lateral (
            select c.id from messaging.contacts c
            where c.instance_id = e.instance_id and c.identity_key = seen.identity_key
            union all
            select a.contact_id from messaging.contact_addresses a
            where a.instance_id = e.instance_id and a.identity_key = seen.identity_key
          ) as owner
          where owner.id <> contact.id
          limit 1
        ) is null
    ),
    payloads as (
      insert into messaging.provider_events (instance_id, payload)
      select k.instance_id, k.payload from known k where k.payload is not null order by k.place
    ),
    messages as (
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, content,
        is_typed_on_phone, status, provider_message_id, sent_at, is_group, chat_name, created_at
      )
      -- Not the transaction's instant: messages keep their order by it.
      select k.instance_id, k.contact_id, k.conversation_id, 'inbound', k.message_type, k.message,
        k.content, false, 'received', k.provider_message_id, k.occurred_at, k.is_group, k.chat_name,
        clock_timestamp()
      from known k
      order by k.place
    ),
    contacts as (
      update messaging.contacts c
      set name = coalesce(c.name, told.name),
        is_profile_name = c.is_profile_name or c.name is null and told.name is not null,
        last_inbound_at = greatest(c.last_inbound_at, told.last_at)
      from (
        select k.contact_id, max(k.occurred_at) as last_at,
          (
            array_agg(k.contact_name order by k.place) filter (where k.contact_name is not null)
          )[1] as name
        from known k
        group by k.contact_id
      ) as told
      where c.id = any (array[told.contact_id])
        and (
          c.name is null and told.name is not null
          or c.last_inbound_at is null or c.last_inbound_at < told.last_at
        )
    )
    select k.place, k.instance_id, k.contact_id, k.addresses, k.conversation_id,
      k.is_nameless and k.contact_name is not null as tells_name,
      k.conversation_status = 'closed' as is_closed,
      (
        select true
        from unnest(k.addresses, k.identity_keys) with ordinality
          as seen(address, identity_key, place)
        left join lateral (
          select a.address, a.proven_at from messaging.contact_addresses a
          where a.instance_id = k.instance_id and a.identity_key = seen.identity_key
          limit 1
        ) as proven on true
        where proven.address is null or seen.place = 1 and (
          proven.address <> seen.address or proven.proven_at < clock - interval '1 hour'
          or proven.proven_at < (
            select max(a.proven_at) from messaging.contact_addresses a
            where a.contact_id = k.contact_id
          )
        )
        limit 1
      ) as has_unproven_address,
      k.may_ask_agent and (
        k.agent_id is not null or (
          select true from messaging.ai_agents a
          where a.instance_id = k.instance_id and a.is_active
          limit 1
        )
      ) as asks_agent
    from known k
    order by k.place
  loop
    recorded := recorded || stored.place;
    if stored.tells_name and stored.contact_id <> all (named) then
      named := named || stored.contact_id;
      perform messaging.record_contact_changes(
        stored.instance_id, stored.contact_id, jsonb '{"name": null}'
      );
    end if;
    perform messaging.note_contact(stored.contact_id);
    if stored.has_unproven_address then
      perform messaging.prove_addresses(stored.instance_id, stored.contact_id, stored.addresses);
    end if;
    if stored.is_closed then
      perform messaging.reopen_conversation(stored.conversation_id);
    end if;
    if stored.asks_agent then
      perform messaging.request_agent_reply(i, stored.contact_id, stored.conversation_id)
      from messaging.instances i where i.id = stored.instance_id;
    end if;
  end loop;
  return recorded;
end;
$$;
revoke all
on function messaging.record_plain_messages(messaging.plain_event[])
from public, anon, authenticated;
grant execute on function messaging.record_plain_messages(messaging.plain_event[]) to service_role;

-- Records any sending call, also one that record_plain_call leaves: contact, conversation, assignment, message, slot, agent pause, idempotency
-- key. `request`, the result, the order of the locks and the errors are accept_message's.
create or replace function messaging.record_sending_call(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  instance messaging.instances;
  contact messaging.contacts;
  conversation messaging.conversations;
  draft constant jsonb := nullif(request->'message', 'null');
  delivery constant jsonb := request->'delivery';
  replayed constant jsonb := messaging.begin_idempotent(request);
  assignment jsonb;
  agent_id uuid;
  outcome jsonb;
  mode text;
  message_id constant uuid := gen_random_uuid();
  claim_token uuid;
  slot timestamptz;
  held_by text;
  placed record;
  departure record;
  paused_until timestamptz;
  is_pausing boolean := false;
begin
  if (replayed->'replayed'->>'isAttemptDue')::boolean then
    return messaging.attempt_again(request, replayed->'replayed');
  elsif replayed is not null then
    return replayed;
  end if;

  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).* into contact from messaging.resolve_contact(instance.id, request->>'phone') r;
  if draft is not null then
    perform messaging.refuse_unreachable_contact(instance, contact, draft->>'messageType');
  end if;
  conversation := messaging.resolve_conversation(instance.id, contact.id);
  if nullif(request->'assignment', 'null') is not null then
    assignment := messaging.assign_conversation(
      instance, contact, conversation, request->'assignment'
    );
  end if;

  if request->'agent'->>'answersThrough' is not null then
    agent_id := (request->'agent'->>'agentId')::uuid;
    perform messaging.take_agent_turn(
      conversation, agent_id, (request->'agent'->>'answeredBefore')::bigint,
      (request->'agent'->>'answersThrough')::bigint
    );
  elsif nullif(request->'agent', 'null') is not null then
    agent_id := messaging.begin_agent_session(instance.id, conversation.id, request->'agent');
  elsif draft->>'sentBy' = 'ai_agent' then
    agent_id := messaging.conversation_agent(conversation);
  end if;

  if draft is null then
    mode := 'assign_only';
  else
    if agent_id is null and draft->>'sentBy' is distinct from 'ai_agent' then
      paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
      is_pausing := true;
      if paused_until is not null then
        perform messaging.note_contact(contact.id);
      end if;
    end if;
    placed := messaging.place_message(
      message_id, instance, delivery,
      interval '1 millisecond' * coalesce((draft->>'delayTypingMs')::integer, 0)
    );
    mode := placed.mode;
    slot := placed.slot;
    held_by := placed.held_by;
    claim_token := placed.claim_token;
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for, held_by, phone_given,
      metadata
    ) values (
      message_id, instance.id, contact.id, conversation.id, 'outbound', draft->>'messageType',
      draft->>'message', nullif(draft->'content', 'null'), draft->>'cardId', draft->>'sentBy',
      case when draft->>'sentBy' = 'operator' then
        coalesce((assignment->>'assignedTo')::uuid, conversation.assigned_to)
      end,
      agent_id, (draft->>'delayTypingMs')::integer, mode,
      (delivery->>'intervalSeconds')::integer,
      case mode when 'sent' then 'sending' else 'queued' end, slot, held_by,
      case when request->>'phone' is distinct from contact.phone then request->>'phone' end,
      nullif(draft->'metadata', 'null')
    );
  end if;

  if mode in ('queued', 'scheduled') then
    departure := messaging.held_departure(message_id, instance, slot, held_by);
    slot := departure.slot;
    held_by := departure.held_by;
  end if;
  perform messaging.touch_noted_contacts();
  if not is_pausing then
    select p.paused_until into paused_until from messaging.agent_pauses p
    where p.contact_id = contact.id and p.paused_until > clock_timestamp();
  end if;

  outcome := jsonb_build_object(
    'mode', mode,
    'contactId', contact.id,
    'conversationId', conversation.id,
    'agentId', agent_id,
    'assignment', assignment,
    'messageId', case when draft is not null then message_id end,
    'status', case mode when 'assign_only' then null when 'sent' then 'sending' else 'queued' end,
    'scheduledFor', messaging.iso_in_zone(slot, instance.time_zone),
    'heldBy', held_by,
    'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
  );
  return messaging.keep_outcome(
    request, outcome, case when draft is not null then message_id end
  ) || jsonb_build_object(
    'claimToken', claim_token,
    'to', case when mode = 'sent' then messaging.contact_send_address(contact, request->>'phone') end
  );
end;
$$;
revoke all on function messaging.record_sending_call(jsonb) from public, anon, authenticated;
grant execute on function messaging.record_sending_call(jsonb) to service_role;

-- The contact's one conversation, created `open` with the first operation that needs it.
create or replace function messaging.resolve_conversation(instance_id uuid, contact_id uuid)
returns messaging.conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.contact_id = resolve_conversation.contact_id;
  if found then
    return conversation;
  end if;
  insert into messaging.conversations (instance_id, contact_id)
  values (resolve_conversation.instance_id, resolve_conversation.contact_id)
  on conflict do nothing
  returning * into conversation;
  if conversation.id is not null then
    perform messaging.note_contact(resolve_conversation.contact_id);
  else
    select c.* into conversation
    from messaging.conversations c
    where c.contact_id = resolve_conversation.contact_id;
  end if;
  return conversation;
end;
$$;
revoke all on function messaging.resolve_conversation(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.resolve_conversation(uuid, uuid) to service_role;

-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: the start of statements is most of what a settlement costs,
-- and these are plainer than those for several. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  select q.instance_id into tenant
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and (
      provider_id is null
      -- As lock_provider_messages.
      or pg_advisory_xact_lock(
        hashtextextended(q.instance_id::text, 0) # (hashtext(provider_id) & 255)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  delete from messaging.message_queue q where q.message_id = settled;
  update messaging.messages m
  set status = 'sent',
    sent_at = coalesce(m.sent_at, clock),
    provider_message_id = coalesce(provider_id, m.provider_message_id),
    attempts = least(m.attempts::integer + 1, 32767),
    lost_claim_token = null,
    last_error = null,
    is_retryable = false,
    failed_at = null,
    unconfirmed_at = null
  where m.id = settled
  returning m.provider_message_id, m.contact_id into provider_id, addressee;
  -- What came under the provider's id before the id was known.
  perform from messaging.unmatched_statuses u
  where u.instance_id = tenant and u.provider_message_id = provider_id
  union all
  select from messaging.messages e
  where e.instance_id = tenant and e.provider_message_id = provider_id and e.id <> settled
    and (e.is_typed_on_phone or e.confirmed_by_echo);
  if found then
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
    perform messaging.note_contact(addressee);
  else
    perform messaging.touch_addressees(array[addressee], clock);
  end if;
  return array[settled];
end;
$$;
revoke all
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptance(jsonb, timestamptz)
to service_role;

-- As touch_contacts, for contacts to whom a message has just been sent, in one statement. The callers
-- are the settlements: theirs is the hottest path, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
declare
  touched integer;
begin
  update messaging.contact_activity a
  set updated_at = greatest(a.updated_at, date_trunc('milliseconds', clock_timestamp())),
    last_message_at = greatest(a.last_message_at, touch_addressees.sent_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > touch_addressees.sent_at, false)
  where a.contact_id = any (contact_ids) and messaging.change_instant(a.instance_id) is not null;
  get diagnostics touched = row_count;
  if touched < cardinality(contact_ids) then
    perform messaging.touch_contacts(contact_ids);
    perform messaging.read_last_messages(contact_ids);
  end if;
end;
$$;
revoke all
on function messaging.touch_addressees(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.touch_addressees(uuid[], timestamptz) to service_role;

-- Touches the contacts that this transaction has noted (see note_contact), and reads anew what their
-- last messages are. The last step of an RPC that locks anything.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := current_setting('messaging.noted_contacts', true);
  contact_ids uuid[];
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  contact_ids := string_to_array(rtrim(noted), ' ')::uuid[];
  perform messaging.touch_contacts(contact_ids);
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(contact_ids);
end;
$$;
revoke all on function messaging.touch_noted_contacts() from public, anon, authenticated;
grant execute on function messaging.touch_noted_contacts() to service_role;

-- contacts-api tags (specification 4.3): adds and removes tags of the contact of a phone, creating
-- the contact when it is missing. `request`: instanceId, phone, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', messaging.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  if not found_contact.is_new then
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.change_contact_tags(jsonb) from public, anon, authenticated;
grant execute on function public.change_contact_tags(jsonb) to service_role;

-- conversations-api note (specification 4.1): an internal note, never sent to the customer.
-- `request`: instanceId, phone, note, idempotency.
-- Returns the outcome: contactId, conversationId, noteId; or {replayed}. Errors: MI007, MI008.
create or replace function public.note_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'noteId', messaging.add_internal_note(instance_id, conversation.id, request->>'note')
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.note_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.note_conversation(jsonb) to service_role;

-- Stores a webhook payload and what it means, all in one transaction: inbound messages, echoes of
-- what was typed on the phone, delivery events, template decisions, changed numbers.
-- `request`: instanceId, sealedProviderConfig (what the delivery's credential was checked against),
-- payload (the body's text, kept as received; NULL for further events of a payload that is stored
-- already), events (see shared/providers/webhooks/provider_event.ts; a message's content as in
-- messaging.messages).
-- The same event twice, or at the same time in two calls, counts once. Returns {recorded}: how many
-- events changed something; NULL, with nothing stored, where the credentials have been replaced.
-- Most webhooks have one plain event, which a shorter path records: see record_plain_events.
-- Two payloads about the same persons wait for each other, at their beginning and nowhere else.
create or replace function public.record_provider_events(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  event jsonb;
  recorded integer := 0;
begin
  if jsonb_array_length(request->'events') = 1 then
    recorded := (messaging.record_plain_events(jsonb_build_array(request)))[1];
    if recorded is not null then
      return jsonb_build_object('recorded', recorded);
    end if;
    recorded := 0;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if instance.sealed_provider_config <> request->>'sealedProviderConfig' then
    return jsonb_build_object('recorded', null);
  end if;
  insert into messaging.provider_events (instance_id, payload)
  select instance.id, request->>'payload' where request->>'payload' is not null;
  perform messaging.lock_provider_messages(
    array_agg(instance.id), array_agg(e.value->>'providerMessageId')
  )
  from jsonb_array_elements(request->'events') as e;
  perform messaging.lock_addresses(
    instance.id,
    array(
      select seen.address
      from jsonb_array_elements(request->'events') as e
      cross join lateral (
        select e.value->>'address'
        union all
        select jsonb_array_elements_text(coalesce(e.value->'otherAddresses', '[]'))
        union all
        select e.value->>'oldAddress'
        union all
        select e.value->>'newAddress'
      ) as seen(address)
      where seen.address is not null
    )
  );
  for event in
    select e.value from jsonb_array_elements(request->'events') with ordinality as e(value, place)
    order by e.place
  loop
    recorded := recorded + case
      when case event->>'kind'
        when 'message' then messaging.record_message_event(instance, event)
        when 'message_edit' then messaging.record_message_edit(instance.id, event)
        when 'status' then messaging.record_status_event(instance.id, event)
        when 'template_status' then messaging.record_template_status(instance.id, event)
        when 'number_change' then messaging.record_number_change(instance.id, event)
      end then 1
      else 0
    end;
  end loop;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('recorded', recorded);
end;
$$;
revoke all on function public.record_provider_events(jsonb) from public, anon, authenticated;
grant execute on function public.record_provider_events(jsonb) to service_role;

-- messages-api: sends a `failed` or `unconfirmed` message again because a person asks for it.
-- `request`: instanceId, messageId, idempotency. Errors: MI004; MI005 (the contact is blocked by
-- now); MI007; MI008; MI012 (any other state; or a delivery event failed the message while its call to
-- the provider is still open, so that a further attempt may be due anyway).
create or replace function public.retry_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  message := messaging.find_message(request);
  if message.status not in ('failed', 'unconfirmed')
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI012', message = 'message_not_retriable';
  end if;
  select c.* into contact from messaging.contacts c where c.id = message.contact_id;
  if contact.is_blocked then
    raise exception using errcode = 'MI005', message = 'contact_blocked';
  end if;
  perform messaging.requeue_message(message);
  -- What had been sent, and failed, is no longer the last message.
  if message.sent_at is not null then
    perform messaging.note_contact(message.contact_id);
    perform messaging.touch_noted_contacts();
  end if;
  select m.* into message from messaging.messages m where m.id = message.id;
  return messaging.keep_outcome(request, messaging.describe_message(message));
end;
$$;
revoke all on function public.retry_message(jsonb) from public, anon, authenticated;
grant execute on function public.retry_message(jsonb) to service_role;

-- contacts-api create and update (specification 4.3; decisions, section 3): creates the contact of a
-- phone or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI020 (customLabels would exceed 64 KiB).
create or replace function public.save_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  fields constant jsonb := request->'fields';
  replayed jsonb := messaging.begin_idempotent(request);
  found_contact record;
  contact_id uuid;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from messaging.find_or_add_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
  if not found_contact.is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
  if fields <> '{}' then
    update messaging.contacts c
    set name = case when fields ? 'name' then nullif(fields->>'name', '') else c.name end,
      is_profile_name = c.is_profile_name and not fields ? 'name',
      email = case when fields ? 'email' then nullif(fields->>'email', '') else c.email end,
      company = case when fields ? 'company' then nullif(fields->>'company', '') else c.company end,
      job_title = case when fields ? 'jobTitle' then nullif(fields->>'jobTitle', '') else c.job_title end,
      notes = case when fields ? 'notes' then nullif(fields->>'notes', '') else c.notes end,
      utm_source = case when fields ? 'utmSource' then nullif(fields->>'utmSource', '') else c.utm_source end,
      utm_medium = case when fields ? 'utmMedium' then nullif(fields->>'utmMedium', '') else c.utm_medium end,
      utm_campaign = case
        when fields ? 'utmCampaign' then nullif(fields->>'utmCampaign', '') else c.utm_campaign
      end,
      custom_labels = case
        when fields ? 'customLabels' then messaging.limit_merged_object(
          messaging.merge_labels(c.custom_labels, fields->'customLabels'), 'MI020'
        )
        else c.custom_labels
      end,
      is_favorite = coalesce((fields->>'isFavorite')::boolean, c.is_favorite),
      is_archived = coalesce((fields->>'isArchived')::boolean, c.is_archived),
      is_blocked = coalesce((fields->>'isBlocked')::boolean, c.is_blocked),
      updated_at = now()
    where c.id = contact_id;
  end if;
  outcome := jsonb_build_object(
    'action', case when found_contact.is_new then 'created' else 'updated' end,
    'contactId', contact_id,
    'fieldsUpdated', (
      select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_object_keys(fields) as f(key)
    ),
    'tagsApplied', messaging.apply_tags(instance_id, contact_id, request->'tags')
  );
  if found_contact.is_new then
    perform messaging.record_new_contacts(array[contact_id]);
  else
    perform messaging.record_contact_changes(instance_id, contact_id, before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.save_contact(jsonb) from public, anon, authenticated;
grant execute on function public.save_contact(jsonb) to service_role;

-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  known_contact_id uuid;
  paused_until timestamptz;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  select (r.contact).id into known_contact_id
  from messaging.resolve_contact(instance.id, request->>'phone') r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[known_contact_id]);
    perform messaging.note_contact(known_contact_id);
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id
    returning p.paused_until into paused_until;
    if found then
      perform messaging.note_contact(known_contact_id);
    end if;
    -- A pause that has ended by time is not resumed by the call.
    if paused_until > clock_timestamp() then
      perform messaging.record_event(
        instance.id, known_contact_id, 'agent.resumed',
        jsonb_build_object('contactId', known_contact_id, 'pausedUntil', null)
      );
    end if;
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;
revoke all on function public.set_agent_pause(jsonb) from public, anon, authenticated;
grant execute on function public.set_agent_pause(jsonb) to service_role;

-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008.
create or replace function public.set_conversation_status(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  before jsonb;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  perform from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
  update messaging.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  perform messaging.record_conversation_changes(conversation, before);
  if request->>'internalNote' is not null then
    perform messaging.add_internal_note(instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_conversation_status(jsonb) from public, anon, authenticated;
grant execute on function public.set_conversation_status(jsonb) to service_role;

-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   isUnsent (the provider was not called), sealedProviderConfig (the credentials of the call; NULL for
--   not known)}], and for an immediate send `response` {status, body (as text)} with `idempotency`
--   {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider accepted the message is true however late it is reported, and so is that it was not called
-- (see take_back_unsent).
-- A status only moves forward, since a delivery event may have come before. A temporary refusal goes
-- back to the queue while attempts are left; a refusal of scope `instance` holds the whole instance.
-- An outage (session gone, credentials, account: not a rate limit) costs no attempt, so that it does
-- not use up the attempts of a backlog; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Acceptances that show no new address take a short way: one immediate send settle_plain_acceptance, all
-- others settle_plain_acceptances. All else, and whatever these leave, is decided one by one.
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows a contact's phone, contacts. Rows of one table in
-- the order of their ids, so that two calls about the same messages never wait for each other.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The steps inherit the
-- settings below. A scan of an index by "= any (ids)" locks in the order of the ids; a bitmap would not.
create or replace function public.settle_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  results jsonb := request->'results';
  shows_addresses constant boolean := results @? '$[*].waId ? (@ != null)'
    and messaging.shows_new_address(results, clock);
  short_way record;
  decided messaging.settlement[];
  settlements messaging.settlement[];
  settled uuid[];
  late uuid[];
  has_news boolean;
begin
  if not shows_addresses and jsonb_array_length(results) = 1 then
    settled := messaging.settle_plain_acceptance(results->0, clock);
    if settled is not null then
      if nullif(request->'response', 'null') is not null then
        perform messaging.keep_response(request->'idempotency', request->'response', settled);
      end if;
      perform messaging.touch_noted_contacts();
      return jsonb_build_object('settled', to_jsonb(settled));
    end if;
  end if;
  perform messaging.lock_answers(results, shows_addresses);
  if not shows_addresses and not results @? '$[*] ? (@.outcome != "accepted")' then
    short_way := messaging.settle_plain_acceptances(results, clock);
    settled := short_way.settled;
    settlements := short_way.settlements;
  end if;

  -- The outcome of the others: queue rows, messages, the addresses that the answers prove.
  if coalesce(cardinality(settled), 0) < jsonb_array_length(results) then
    if settled is not null then
      select jsonb_agg(r) into results
      from jsonb_array_elements(results) as r
      where (r->>'messageId')::uuid <> all (settled);
    end if;
    decided := messaging.decide_settlements(results, clock);
    perform messaging.settle_queue_rows(decided);
    perform messaging.settle_message_rows(decided, clock);
    if shows_addresses then
      perform messaging.prove_answered_addresses(decided, clock);
    end if;
    settled := settled || array(select s.message_id from unnest(decided) as s);
    if coalesce(cardinality(decided), 0) < jsonb_array_length(results) then
      late := messaging.record_late_acceptances(results, settled, clock);
      settled := settled || messaging.take_back_unsent(results);
    end if;
    settlements := settlements || decided;
  end if;

  -- What follows for the agent, the message's own events, and its instance's queue. News is what came
  -- under a provider's id before the id was known.
  select exists (
    select from messaging.messages m
    where m.id = any (settled || late) and (
      exists (
        select from messaging.unmatched_statuses e
        where e.instance_id = any (array[m.instance_id])
          and e.provider_message_id = any (array[m.provider_message_id])
      )
      or exists (
        select from messaging.messages e
        where e.instance_id = any (array[m.instance_id])
          and e.provider_message_id = any (array[m.provider_message_id])
          and e.id <> m.id
          and (e.is_typed_on_phone or e.confirmed_by_echo)
      )
    )
  ) into has_news;
  if settlements is not null then
    perform messaging.restart_agent_pauses(settlements, clock);
  end if;
  if has_news then
    perform messaging.apply_unmatched_statuses(settled || late);
  end if;
  if settlements is not null then
    perform messaging.release_instances(settlements);
  end if;
  if nullif(request->'response', 'null') is not null then
    perform messaging.keep_response(request->'idempotency', request->'response', settled);
  end if;

  -- Whose words the echoes were, and who the contact is.
  if decided is not null then
    perform messaging.resolve_pending_echo(s.message_id, s.outcome, s.provider_message_id, s.echo)
    from unnest(decided) as s
    where s.echo is not null;
  end if;
  -- An echo may just have been recorded under another message's id.
  if has_news or decided is not null then
    perform messaging.merge_echo_duplicates(settled || late);
  end if;
  if shows_addresses then
    perform messaging.assign_contact_phone(c, s.wa_id)
    from unnest(decided) as s
    -- Not a join, whose plan may begin with all contacts without a phone.
    cross join lateral (
      select r.contact_id from messaging.messages r where r.id = s.message_id offset 0
    ) as m
    join messaging.contacts c on c.id = any (array[m.contact_id])
    where s.wa_id is not null and c.phone is null;
  end if;
  -- Last of all locks. Where something else has happened too, the last messages are read anew.
  if has_news or decided is not null then
    perform messaging.note_contact(m.contact_id) from messaging.messages m
    where m.id = any (settled) and m.sent_at is not null;
  elsif settled is not null then
    perform messaging.touch_addressees(
      array(
        select distinct m.contact_id from messaging.messages m
        where m.id = any (settled) and m.sent_at is not null
      ),
      clock
    );
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
