-- What a text of a contact, written at `written_at`, may choose: the numbered options of the newest message
-- with options that was sent to it, where that went as text and is less than 24 hours old. No row for none.
-- A text that quotes a message (`quoted_id`, the provider's) answers that one alone. A message in flight
-- counts: its answer may come before its outcome is recorded. So does an unconfirmed one, until another is
-- sent after it. The instants of the two sides come from two clocks, and an outcome may be recorded late:
-- hence the minute.
create or replace function messaging.offered_choices(
  contact_id uuid, written_at timestamptz, quoted_id text
) returns table (choices jsonb) language sql stable
begin atomic
  select newest.content -> 'choices'
  from
    (
      select
        m.content,
        m.deleted_at,
        m.provider_message_id,
        coalesce(m.sent_at, m.unconfirmed_at, written_at) as asked_at
      from messaging.messages as m
      where
        m.contact_id = offered_choices.contact_id
        and m.content ? 'rendering'
        and m.direction = 'outbound'
        and (
          m.status in ('sent', 'delivered', 'read', 'sending')
          or m.status = 'unconfirmed'
          and m.unconfirmed_at > written_at - interval '24 hours'
          and not exists (
            select
            from messaging.messages as later
            where
              later.contact_id = offered_choices.contact_id
              and later.content ? 'rendering'
              and later.direction = 'outbound'
              and messaging.has_options(later.content)
              and later.sent_at > m.unconfirmed_at
              and later.sent_at < written_at + interval '1 minute'
          )
          or m.status = 'queued'
          and (
            select q.claim_token is not null
            from messaging.message_queue as q
            where q.message_id = m.id
          )
        )
        and messaging.has_options(m.content)
        and (m.sent_at is null or m.sent_at < written_at + interval '1 minute')
      order by m.sent_at desc, m.created_at desc
      limit 1
    ) as newest
  where
    newest.deleted_at is null
    and newest.asked_at > written_at - interval '24 hours'
    and newest.content ? 'choices'
    and (quoted_id is null or newest.provider_message_id = quoted_id);
end;

-- Whether a message, by its content, has options to choose from: a list, buttons, or a template whose quick replies
-- went as numbers. Links, requests for a place and what is about a payment go as text too, and have none.
create or replace function messaging.has_options(content jsonb)
returns boolean language sql immutable
return content ?| array['choices', 'optionList', 'buttons'];
