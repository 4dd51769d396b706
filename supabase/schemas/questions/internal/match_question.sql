-- Which question of its contact a received message answers, decided before the message is stored.
-- `outcome`: `answered`; `pending` where the question's message is still under way: it answers once that is known
-- to have left; `invalid` where it comes to an open question, fits it not, and that has words for it that nobody
-- was told yet; NULL for none. `answer` as read_answer. The open question comes first, then the newest
-- one under way. A message that quotes another one than the question, its reminder, or its words for what does not
-- fit, answers none.
-- An answer is written after the question's message has left, and before the question's end. The instants of the
-- two sides come from two clocks, and an outcome may be recorded late: hence the minute.
-- The caller holds the contact, of whose mark it is the reader: where nothing is asked, the mark goes. Locks
-- pacing, where words for what does not fit may have to be counted, then the live questions in the order of their ids.
create or replace function messaging.match_question(
  of_instance uuid, of_contact uuid, message_type text, said text, content jsonb, media_id uuid,
  written_at timestamptz, quoted text
) returns messaging.matched_answer language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  matched messaging.matched_answer;
  answer jsonb;
  asked record;
  contact_ids constant uuid[] := messaging.merged_contact_ids(of_contact);
  is_live boolean := false;
begin
  perform from messaging.pacing p
  where p.instance_id = of_instance
    and exists (
      select from messaging.questions q
      where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
        and q.on_invalid is not null and q.invalid_message_id is null
    )
    and exists (
      select from messaging.instances i where i.id = of_instance and i.protection is not null
    )
  for no key update;
  perform from messaging.questions q
  where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
  order by q.id
  for no key update;
  for asked in
    select q as question, m.provider_message_id, m.created_at, reminder.provider_message_id as reminder_id,
      invalid.provider_message_id as invalid_id, coalesce(m.content ? 'choices', false) as shows_numbers,
      q.status = 'open' as is_open, m.status in ('sending', 'unconfirmed') or (
        select w.claim_token is not null from messaging.message_queue w where w.message_id = m.id
      ) as is_under_way,
      (written_at at time zone i.time_zone)::date as today
    from messaging.questions q
    join messaging.instances i on i.id = q.instance_id
    left join messaging.messages m on m.id = q.message_id
    left join messaging.messages reminder on reminder.id = q.reminder_message_id
    left join messaging.messages invalid on invalid.id = q.invalid_message_id
    where q.contact_id = any (contact_ids) and messaging.is_question_live(q.status)
    order by q.status = 'open' desc, coalesce(q.opened_at, q.created_at) desc
  loop
    is_live := true;
    continue when matched.outcome in ('answered', 'pending')
      or not asked.is_open and (
        asked.is_under_way is not true or (asked.question).pending_answer is not null
      )
      or written_at < date_trunc('second', asked.created_at)
      or written_at < (asked.question).opened_at - interval '1 minute'
      or written_at >= (asked.question).expires_at
      or asked.is_open and quoted is not null
        and (quoted in (asked.provider_message_id, asked.reminder_id, asked.invalid_id)) is not true;
    answer := messaging.read_answer(
      (asked.question).accept, (asked.question).choices, message_type, said, content, media_id, asked.today,
      asked.shows_numbers
    );
    if answer is not null then
      matched.outcome := case when asked.is_open then 'answered' else 'pending' end;
    elsif asked.is_open and (asked.question).on_invalid is not null
      and (asked.question).invalid_message_id is null then
      matched.outcome := 'invalid';
    else
      continue;
    end if;
    matched.question_id := (asked.question).id;
    matched.answer := answer;
    matched.agent_id := (asked.question).agent_id;
  end loop;
  if not is_live then
    update messaging.contacts c set awaits_answer = false where c.id = of_contact;
  end if;
  return matched;
end;
$$;
