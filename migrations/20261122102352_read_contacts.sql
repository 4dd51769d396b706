set local check_function_bodies = off;
-- The trigger needs a lock on contacts, for an instant: where it is not to be had, run this again.
set local lock_timeout = '3s';

-- The keys by which the folded words of a contact are found: a hash of each three characters in a row;
-- and, for searches of one or two characters, of the one and two with which each word begins. A sign
-- such as "%" counts as a beginning too. A key says which contacts may fit; their words decide.
-- The instance is in the hash: a look-up reads nothing of other instances.
-- A loop over the characters: as one statement it takes five times as long, with each new contact.

create or replace function messaging.search_keys(instance_id uuid, words text)
returns bigint[]
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
declare
  seed constant bigint := uuid_hash_extended(instance_id, 0);
  letters constant text[] := string_to_array(words, null);
  follows_word_letter boolean := false;
  is_word_letter boolean;
  keys bigint[] := '{}';
begin
  for place in 1 .. cardinality(letters) loop
    is_word_letter := letters[place] collate "C" between '0' and '9'
      or letters[place] collate "C" between 'a' and 'z';
    if not (follows_word_letter and is_word_letter) then
      keys := keys || hashtextextended('^' || letters[place], seed);
      if place < cardinality(letters) then
        keys := keys || hashtextextended('^' || letters[place] || letters[place + 1], seed);
      end if;
    end if;
    if place > 2 then
      keys := keys
        || hashtextextended(letters[place - 2] || letters[place - 1] || letters[place], seed);
    end if;
    follows_word_letter := is_word_letter;
  end loop;
  return keys;
end;
$$;
revoke all on function messaging.search_keys(uuid, text) from public, anon, authenticated;
grant execute on function messaging.search_keys(uuid, text) to service_role;

drop function messaging.read_last_messages(uuid[]);

drop function messaging.touch_contacts(uuid[]);

-- What the list of contacts reads: their order, and the words that `q` looks in. Narrow rows in the
-- order of creation; written when a contact is created or one of these fields changes.
-- `created_at` is the contact's own and stays, though a merge may give the contact an earlier one:
-- pages keep their order.
create table messaging.contact_search (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  created_at timestamptz not null,
  words text not null
);
create index contact_search_page on messaging.contact_search (instance_id, created_at, contact_id);
-- The keys carry their instance: other instances' contacts make no look-up dearer.
create index contact_search_keys on messaging.contact_search using gin (
  messaging.search_keys(instance_id, words)
);
alter table messaging.contact_search enable row level security;
revoke all on table messaging.contact_search from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contact_search to service_role;
comment on column messaging.contact_search.words is
  'Name, e-mail, company and phones, folded by fold_text, one on each line.';

-- Trigger: gives new contacts their rows of contact_activity and contact_search. Once for each statement,
-- for all of them.
create or replace function messaging.add_contact_activity()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, changed.at
  from (select distinct n.instance_id from new_contacts n) as instances
  cross join lateral (select messaging.change_instant(instances.instance_id) offset 0) as changed(at)
  join new_contacts c on c.instance_id = instances.instance_id
  order by c.id
  on conflict do nothing;
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from new_contacts n
  join messaging.contacts c on c.id = any (array[n.id]);
  return null;
end;
$$;
revoke all on function messaging.add_contact_activity() from public, anon, authenticated;
grant execute on function messaging.add_contact_activity() to service_role;

-- Moves an outbound message forward to `sent`, `delivered`, `read` or `failed`, as a delivery event
-- says, and never back: message_transition has the table. Takes a message that waits to be sent again
-- out of the queue, since it has arrived.
-- A message in doubt left before its call was given up, however late the event is.
-- Records its event, and message.sent before it where the message had not been sent as far as was known.
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
  former_status text;
  was_unsent boolean;
  types text[];
begin
  select m.status, m.sent_at is null into former_status, was_unsent
  from messaging.messages m
  where m.id = advance_message.message_id
  for no key update;
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
  where m.id = advance_message.message_id
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
  returning m.instance_id, m.contact_id, was_unsent and m.sent_at is not null
  into moved_instance_id, moved_contact_id, is_newly_sent;
  if not found then
    return false;
  end if;
  types := array['message.' || advance_message.status];
  if advance_message.status in ('delivered', 'read')
    and former_status not in ('sent', 'delivered', 'read') then
    types := 'message.sent'::text || types;
  end if;
  perform messaging.record_message_events(
    array_fill(advance_message.message_id, array[cardinality(types)]),
    types,
    exists (
      select from messaging.message_queue q
      where q.message_id = advance_message.message_id and q.claim_token is not null
    )
  );
  -- 131050 of the official channel: the contact has stopped marketing messages there.
  if advance_message.status = 'failed' and error->>'code' = '131050' then
    perform messaging.change_consent(
      moved_contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
    );
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

-- The keys (see search_keys) that a contact has which a search for `folded` may find.
create or replace function messaging.asked_keys(instance_id uuid, folded text)
returns bigint[]
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select array_agg(distinct hashtextextended(piece, uuid_hash_extended(instance_id, 0)))
  from (
    select '^' || folded as piece where char_length(folded) < 3
    union all
    select substr(folded, place, 3)
    from generate_series(1, char_length(folded) - 2) as place
  ) as asked;
$$;
revoke all on function messaging.asked_keys(uuid, text) from public, anon, authenticated;
grant execute on function messaging.asked_keys(uuid, text) to service_role;

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
            'name', c.name,
            'email', c.email,
            'company', c.company,
            'jobTitle', c.job_title,
            'notes', c.notes,
            'tags', coalesce(tagged.names, '[]'),
            'utmSource', c.utm_source,
            'utmMedium', c.utm_medium,
            'utmCampaign', c.utm_campaign,
            'customLabels', c.custom_labels,
            'isFavorite', c.is_favorite,
            'isArchived', c.is_archived,
            'isBlocked', c.is_blocked,
            'origin', c.origin,
            'consent', messaging.describe_consent(c, zone),
            'identities', shown.identities,
            'window', case
              when instance.provider_class = 'official' then jsonb_build_object(
                'isOpen', coalesce(c.last_inbound_at >= clock_timestamp() - interval '24 hours', false),
                'closesAt', messaging.iso_in_zone(c.last_inbound_at + interval '24 hours', zone)
              )
            end,
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
          )
        end
        order by wanted.place
      ),
      '[]'
    )
    from unnest(contact_ids) with ordinality as wanted(id, place)
    left join messaging.contacts c on c.id = any (array[wanted.id]) and c.instance_id = instance.id
    left join messaging.contact_activity a
      on a.contact_id = any (array[wanted.id]) and a.instance_id = instance.id
    left join messaging.conversations v on v.contact_id = any (array[c.id])
    left join messaging.portfolios f on f.contact_id = any (array[c.id])
    left join messaging.agent_pauses p
      on p.contact_id = any (array[c.id]) and p.paused_until > clock_timestamp()
    left join lateral (
      select jsonb_agg(t.name order by lower(t.name)) as names
      from messaging.contact_tags g
      join messaging.tags t on t.id = any (array[g.tag_id])
      where g.contact_id = c.id
    ) as tagged on true
    left join lateral (select messaging.contact_identities(c) as identities) as shown on true
    where c.id is not null or a.merged_into is not null or a.erased_at is not null
  );
end;
$$;
revoke all
on function messaging.describe_contacts(messaging.instances, uuid[])
from public, anon, authenticated;
grant execute
on function messaging.describe_contacts(messaging.instances, uuid[])
to service_role;

-- Adds the rows of contact_search of the contacts that are older than the table.
create or replace function messaging.fill_contact_search()
returns void
language sql
set search_path = ''
as $$
  insert into messaging.contact_search (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from messaging.contacts c
  where not exists (select from messaging.contact_search s where s.contact_id = c.id)
  order by c.instance_id, c.created_at
  on conflict do nothing;
$$;
revoke all on function messaging.fill_contact_search() from public, anon, authenticated;
grant execute on function messaging.fill_contact_search() to service_role;

-- A text without regard to case and accents, as searches compare it: "João Ávila" is "joao avila".
-- An own function: unaccent is not immutable, and lies in another schema on each platform.
create or replace function messaging.fold_text(given text)
returns text
language plpgsql
immutable
strict
parallel safe
set search_path = ''
as $$
begin
  if given ~ '^[\x01-\x7f]*$' then
    return lower(given);
  end if;
  return lower(translate(
    regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g'), 'øØłŁđĐıß', 'oOlLdDis'
  ));
end;
$$;
revoke all on function messaging.fold_text(text) from public, anon, authenticated;
grant execute on function messaging.fold_text(text) to service_role;

-- Trigger: a contact whose name, e-mail, company or phone has changed is found by the new ones.
create or replace function messaging.follow_contact_search()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.refresh_contact_search(new.id);
  return null;
end;
$$;
revoke all on function messaging.follow_contact_search() from public, anon, authenticated;
grant execute on function messaging.follow_contact_search() to service_role;

-- The contacts of a page, and one more where there is another: [{at, id}] in order.
-- `filters` as in list_contacts, with tagId and contactId in place of tag and phone; `after_at` and
-- `after_id`: the end of the page before.
-- With updatedSince: in the order of (updated_at, id), tombstones too, and nothing that a transaction
-- under way may still precede. Otherwise in the order of creation.
-- The order does not tell where those contacts are that a filter leaves. So a filtered page is looked
-- for in two ways, of which one is cheap: among the next 5,000 contacts, where many fit; and where
-- these do not fill the page, few fit, and the index of a filter has them all.
create or replace function messaging.list_contact_ids(
  instance_id uuid,
  filters jsonb,
  after_at timestamptz,
  after_id uuid,
  row_limit integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  folded constant text := messaging.fold_text(filters->>'q');
  is_filtered constant boolean := filters ?| '{q,tagId,assignedTo,consent}';
  horizon timestamptz;
  sources text[];
  conditions constant text := concat(
    case when folded is not null then ' and exists (
      select from messaging.contact_search w where w.contact_id = s.contact_id and w.words ~ $5)' end,
    case when filters ? 'tagId' then ' and exists (
      select from messaging.contact_tags g where g.contact_id = s.contact_id and g.tag_id = $6)' end,
    case when filters ? 'assignedTo' then ' and exists (
      select from messaging.conversations v where v.contact_id = s.contact_id and v.assigned_to = $7)' end,
    case when filters ? 'consent' then ' and exists (
      select from messaging.contacts k where k.id = s.contact_id and k.consent_marketing = $12)' end,
    case when filters ? 'contactId' then ' and s.contact_id = $8' end
  );
  in_order constant text := 'select c.contact_id, c.created_at as at, false as is_deleted
    from messaging.contact_search c
    where c.instance_id = $1 and (c.created_at, c.contact_id) > ($2, $3)';
  source text;
  contacts jsonb;
begin
  if filters ? 'updatedSince' then
    horizon := messaging.change_horizon(instance_id);
    sources := array['select a.contact_id, a.updated_at as at,
        a.merged_into is not null or a.erased_at is not null as is_deleted
      from messaging.contact_activity a
      where a.instance_id = $1 and (a.updated_at, a.contact_id) > ($2, $3)
        and a.updated_at >= $9 and a.updated_at < $10
      order by a.updated_at, a.contact_id'];
  elsif filters ? 'contactId' then
    sources := array[in_order || ' and c.contact_id = $8'];
  elsif not is_filtered then
    sources := array[in_order || ' order by c.created_at, c.contact_id'];
  else
    sources := array[
      in_order || ' order by c.created_at, c.contact_id limit 5000',
      in_order || case
        when folded is not null then ' and messaging.search_keys(c.instance_id, c.words) @> $11'
        when filters ? 'tagId'
          then ' and c.contact_id = any (array(
            select g.contact_id from messaging.contact_tags g where g.tag_id = $6))'
        when filters->>'consent' in ('granted', 'denied')
          then ' and c.contact_id = any (array(
            select k.id from messaging.contacts k
            where k.instance_id = $1 and k.consent_marketing = $12
              and k.consent_marketing <> ''unknown''))'
        when filters ? 'consent' then ''
        else ' and c.contact_id = any (array(
            select v.contact_id from messaging.conversations v
            where v.assigned_to = $7 and v.instance_id = $1))'
      end
    ];
  end if;
  foreach source in array sources loop
    execute format(
      'select coalesce(jsonb_agg(jsonb_build_object(''at'', f.at, ''id'', f.contact_id) order by f.at, f.contact_id), ''[]'')
       from (
         select s.at, s.contact_id from (%s) as s
         where s.is_deleted or (true %s)
         order by s.at, s.contact_id
         limit $4
       ) as f',
      source, conditions
    )
    into contacts
    using instance_id, after_at, after_id, row_limit, messaging.search_pattern(folded),
      (filters->>'tagId')::uuid, (filters->>'assignedTo')::uuid, (filters->>'contactId')::uuid,
      (filters->>'updatedSince')::timestamptz, horizon, messaging.asked_keys(instance_id, folded),
      filters->>'consent';
    exit when jsonb_array_length(contacts) >= row_limit;
  end loop;
  return contacts;
end;
$$;
revoke all
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
from public, anon, authenticated;
grant execute
on function messaging.list_contact_ids(uuid, jsonb, timestamptz, uuid, integer)
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
  insert into messaging.contact_activity as a (contact_id, instance_id, updated_at, merged_into)
  values (gone.id, gone.instance_id, changed_at, kept.id)
  on conflict on constraint contact_activity_pkey do update
  set merged_into = excluded.merged_into, last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, excluded.updated_at);
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

-- Writes into contact_activity what the last messages of these contacts are. The caller has locked their
-- rows, by touch_contacts. Of each contact it looks at the 50 newest messages.
-- The channel tells an inbound message's time in whole seconds: one of the second in which we wrote
-- counts as the later one if it came after ours.
-- Plans must not depend on statistics.
create or replace function messaging.read_last_messages(touched messaging.contact_activity[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  insert into messaging.contact_activity (
    contact_id, instance_id, updated_at, last_message_at, awaits_reply
  )
  select t.contact_id, t.instance_id, t.updated_at, last.message_at,
    coalesce(
      last.inbound_at is not null and (
        last.outbound_at is null or last.inbound_at > last.outbound_at
        or last.inbound_at >= date_trunc('second', last.outbound_at)
          and last.inbound_stored_at >= last.outbound_at
      ),
      false
    )
  from unnest(touched) as t
  cross join lateral (
    select max(m.sent_at) as message_at,
      max(m.sent_at) filter (where m.direction = 'inbound') as inbound_at,
      max(m.created_at) filter (where m.direction = 'inbound') as inbound_stored_at,
      max(m.sent_at) filter (where m.direction = 'outbound') as outbound_at
    from (
      select n.sent_at, n.created_at, n.direction
      from messaging.messages n
      where n.contact_id = t.contact_id and n.sent_at is not null
      order by n.sent_at desc
      limit 50
    ) as m
  ) as last
  on conflict on constraint contact_activity_pkey do update
  set last_message_at = excluded.last_message_at, awaits_reply = excluded.awaits_reply;
end;
$$;
revoke all
on function messaging.read_last_messages(messaging.contact_activity[])
from public, anon, authenticated;
grant execute
on function messaging.read_last_messages(messaging.contact_activity[])
to service_role;

-- Records that a contact has moved to another number: it becomes the newest proven address. A changed
-- user id (isUserId) replaces the old one among the contact's addresses; `otherAddresses` are of the same
-- person. A contact that is known by the new number only since yesterday, by a message it wrote, is the
-- same person; any other contact may be the number's former owner and keeps it. A user id is never given
-- to another person: contacts of both are one where one of them has no phone.
-- The change may come before anything else of the person: it is remembered by a contact of its own.
-- Returns whether anything changed. Errors: 40001 where another call has merged the contact.
create or replace function messaging.record_number_change(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  other messaging.contacts;
  is_user_id constant boolean := coalesce((event->>'isUserId')::boolean, false);
  seen text;
  moved_proven_at timestamptz;
  before jsonb;
  is_recorded boolean;
begin
  if exists (
    select from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'newAddress')
      and a.changed_by = event->>'eventId'
  ) then
    return false;
  end if;
  contact := messaging.find_contact(instance_id, event->>'oldAddress');
  foreach seen in array array[event->>'newAddress'] || array(
    select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
  ) loop
    other := messaging.find_contact(instance_id, seen);
    continue when other.id is null or other.id = contact.id;
    if is_user_id and contact.phone is null then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(other, contact)
      end;
    elsif (is_user_id and other.phone is null) or (
      other.origin = 'inbound' and other.created_at >= clock_timestamp() - interval '1 day'
    ) then
      contact := case
        when contact.id is null then other
        else messaging.merge_contacts(contact, other)
      end;
    elsif seen = event->>'newAddress' then
      return false;
    end if;
  end loop;
  if contact.id is null then
    contact := messaging.add_moved_contact(instance_id, event->>'newAddress');
  end if;
  perform from messaging.contacts c where c.id = contact.id for no key update;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  before := messaging.contact_state(contact.id);
  if not is_user_id then
    contact := messaging.assign_contact_phone(contact, event->>'newAddress');
  end if;
  if is_user_id then
    select a.proven_at into moved_proven_at
    from messaging.contact_addresses a
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
    update messaging.contact_addresses a set proven_at = '-infinity'
    where a.instance_id = record_number_change.instance_id
      and a.identity_key = messaging.phone_identity_key(event->>'oldAddress');
  end if;
  -- What was written before the change may come after it: it is of this person.
  insert into messaging.contact_addresses (instance_id, address, contact_id, proven_at)
  select record_number_change.instance_id, event->>'oldAddress', contact.id, '-infinity'
  where (messaging.find_contact(instance_id, event->>'oldAddress')).id is null
  on conflict do nothing;
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
    perform messaging.refresh_contact_search(contact.id);
  end if;
  return is_recorded;
end;
$$;
revoke all on function messaging.record_number_change(uuid, jsonb) from public, anon, authenticated;
grant execute on function messaging.record_number_change(uuid, jsonb) to service_role;

-- Writes anew by which words a contact is found, where they have changed.
create or replace function messaging.refresh_contact_search(contact_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_search as s (contact_id, instance_id, created_at, words)
  select c.id, c.instance_id, c.created_at, messaging.search_words(c)
  from messaging.contacts c
  where c.id = refresh_contact_search.contact_id
  on conflict on constraint contact_search_pkey do update set words = excluded.words
  where s.words <> excluded.words;
end;
$$;
revoke all on function messaging.refresh_contact_search(uuid) from public, anon, authenticated;
grant execute on function messaging.refresh_contact_search(uuid) to service_role;

-- The regular expression for what `q` asks for in folded words; every character is itself. One or two
-- characters are looked for where a word begins (see search_keys), more of them anywhere.
create or replace function messaging.search_pattern(folded text)
returns text
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select case when char_length(folded) < 3 and folded ~ '^[0-9a-z]' then '(^|[^0-9a-z])' else '' end
    || regexp_replace(folded, '([\\.^$*+?()|{}\[\]-])', '\\\1', 'g');
$$;
revoke all on function messaging.search_pattern(text) from public, anon, authenticated;
grant execute on function messaging.search_pattern(text) to service_role;

-- The words by which a contact is found: see contact_search.
create or replace function messaging.search_words(contact messaging.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return concat_ws(
    e'\n', contact.phone, nullif(messaging.contact_display_phone(contact), contact.phone),
    messaging.fold_text(contact.name), messaging.fold_text(contact.email),
    messaging.fold_text(contact.company)
  );
end;
$$;
revoke all on function messaging.search_words(messaging.contacts) from public, anon, authenticated;
grant execute on function messaging.search_words(messaging.contacts) to service_role;

-- As touch_contacts, for contacts to whom a message has just been sent. A statement of its own: the
-- callers are the settlements, which are hot, and their settings of the planner hold here.
create or replace function messaging.touch_addressees(contact_ids uuid[], sent_at timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into messaging.contact_activity as a (
    contact_id, instance_id, updated_at, last_message_at
  )
  select c.id, c.instance_id, messaging.change_instant(c.instance_id), touch_addressees.sent_at
  from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at),
    last_message_at = greatest(a.last_message_at, excluded.last_message_at),
    awaits_reply = a.awaits_reply and coalesce(a.last_message_at > excluded.last_message_at, false);
end;
$$;
revoke all
on function messaging.touch_addressees(uuid[], timestamptz)
from public, anon, authenticated;
grant execute on function messaging.touch_addressees(uuid[], timestamptz) to service_role;

-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- Returns their rows; none for a contact that is no more.
-- Locks their rows in the order of the ids. An upsert, because its look-up is always by the primary key;
-- an update's may be by another index where statistics are poor, in another order.
create or replace function messaging.touch_contacts(contact_ids uuid[])
returns setof messaging.contact_activity
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return query insert into messaging.contact_activity as a (contact_id, instance_id, updated_at)
  select c.id, c.instance_id, messaging.change_instant(c.instance_id)
  from messaging.contacts c
  where c.id = any (contact_ids)
  order by c.id
  on conflict on constraint contact_activity_pkey do update
  set updated_at = greatest(a.updated_at, excluded.updated_at)
  returning a.*;
end;
$$;
revoke all on function messaging.touch_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.touch_contacts(uuid[]) to service_role;

-- Touches the contacts that this transaction has noted (see note_contact), and reads anew what their
-- last messages are. The last step of an RPC that locks anything.
create or replace function messaging.touch_noted_contacts()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := current_setting('messaging.noted_contacts', true);
  touched messaging.contact_activity[];
begin
  if noted is null or noted = '' then
    return;
  end if;
  perform set_config('messaging.noted_contacts', '', true);
  touched := array(
    select t from messaging.touch_contacts(string_to_array(rtrim(noted), ' ')::uuid[]) as t
  );
  -- A later statement than the one that locked: it sees what others have recorded of these contacts.
  perform messaging.read_last_messages(touched);
end;
$$;
revoke all on function messaging.touch_noted_contacts() from public, anon, authenticated;
grant execute on function messaging.touch_noted_contacts() to service_role;

-- contacts-api: one contact. The id of a merged contact gives the contact that it was merged into.
-- `request`: instanceId, contactId. Errors: MI031.
create or replace function public.get_contact(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance messaging.instances;
  contact jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  contact := messaging.describe_contacts(instance, array[coalesce(
    (
      select a.merged_into from messaging.contact_activity a
      where a.contact_id = (request->>'contactId')::uuid
    ),
    (request->>'contactId')::uuid
  )])->0;
  if contact is null or contact ? 'isDeleted' then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return contact;
end;
$$;
revoke all on function public.get_contact(jsonb) from public, anon, authenticated;
grant execute on function public.get_contact(jsonb) to service_role;

-- contacts-api: contacts of an instance, a page at a time.
-- `request`: instanceId, limit, `after` {createdAt, id} as returned in `next`, and any of the filters
-- phone, tag, q, assignedTo (operator's UUID or e-mail), consent, updatedSince (inclusive). An unknown
-- phone or tag has no contacts.
-- Returns {items, next}: items see describe_contacts. Errors: MI001.
create or replace function public.list_contacts(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  page_size constant integer := (request->>'limit')::integer;
  filters jsonb := jsonb_strip_nulls(jsonb_build_object(
    'q', nullif(request->>'q', ''), 'consent', request->>'consent',
    'updatedSince', request->>'updatedSince'
  ));
  tag_id uuid;
  contact_id uuid;
  found_contacts jsonb;
begin
  select i.* into strict instance from messaging.instances i
  where i.id = (request->>'instanceId')::uuid;
  if request->>'assignedTo' is not null then
    filters := filters || jsonb_build_object(
      'assignedTo', (messaging.find_operator(instance.workspace_id, request->>'assignedTo')).id
    );
  end if;
  if request->>'tag' is not null then
    select t.id into tag_id from messaging.tags t
    where t.instance_id = instance.id and lower(t.name) = lower(request->>'tag');
    filters := filters || jsonb_build_object('tagId', tag_id);
  end if;
  if request->>'phone' is not null then
    contact_id := (messaging.find_contact(instance.id, request->>'phone')).id;
    filters := filters || jsonb_build_object('contactId', contact_id);
  end if;
  if filters @? '$.* ? (@ == null)' then
    return jsonb_build_object('items', jsonb '[]', 'next', null);
  end if;
  found_contacts := messaging.list_contact_ids(
    instance.id, filters,
    coalesce((request->'after'->>'createdAt')::timestamptz, '-infinity'),
    coalesce((request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'),
    page_size + 1
  );
  return jsonb_build_object(
    'items', messaging.describe_contacts(instance, array(
      select (f.found->>'id')::uuid
      from jsonb_array_elements(found_contacts) with ordinality as f(found, place)
      where f.place <= page_size
      order by f.place
    )),
    'next', case
      when jsonb_array_length(found_contacts) > page_size then jsonb_build_object(
        'createdAt', found_contacts->(page_size - 1)->'at',
        'id', found_contacts->(page_size - 1)->'id'
      )
    end
  );
end;
$$;
revoke all on function public.list_contacts(jsonb) from public, anon, authenticated;
grant execute on function public.list_contacts(jsonb) to service_role;

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
  plain uuid[];
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
    plain := short_way.settled;
    settled := plain;
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
    if results @? '$[*] ? (@.error.code == "131050")' then
      -- The contact has stopped marketing messages on the official channel.
      perform messaging.change_consent(
        s.contact_id, jsonb '{"marketing": "denied", "source": "131050"}'
      )
      from unnest(decided) as s
      where s.error->>'code' = '131050'
      order by s.contact_id;
    end if;
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
    perform messaging.note_contact(s.contact_id) from unnest(decided) as s
    where s.outcome = 'accepted';
    perform messaging.note_contact(m.contact_id) from messaging.messages m
    where m.id = any (plain);
  elsif plain is not null then
    perform messaging.touch_addressees(
      array(select m.contact_id from messaging.messages m where m.id = any (plain)), clock
    );
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;

-- The list of contacts by consent; most have said nothing.
create index if not exists contacts_consent on messaging.contacts (instance_id, consent_marketing)
where consent_marketing != 'unknown';

create trigger contacts_follow_search
after update on messaging.contacts
for each row
when
  (
    (old.name, old.email, old.company, old.phone) is distinct from (
      new.name,
      new.email,
      new.company,
      new.phone
    )
  )
execute function messaging.follow_contact_search();
