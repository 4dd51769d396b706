-- The free entry point of a contact that has one at `clock`: for 72 hours from our first answer within 24
-- hours of a message that an ad or post brought, the official channel bills nothing. No row for none.
-- The newest message that was answered in time decides: an earlier one was answered no later. While newer
-- ones were not, only an answer before them counts, so that each message of the four days is read once.
-- The channel tells an inbound message's time in whole seconds: what we wrote within that second answers
-- it only if we wrote after it was stored. `last_inbound_at` as the contact has it: who has not written for
-- four days costs no look into the messages.
create or replace function messaging.free_entry_point(
  contact_id uuid, last_inbound_at timestamptz, clock timestamptz
) returns table (ends_at timestamptz) language sql stable
begin atomic
  select f.ends_at
  from
    (
      select answer.sent_at + interval '72 hours' as ends_at
      from
        (
          select
            r.sent_at,
            r.created_at,
            lag(r.sent_at) over (order by r.sent_at desc, r.created_at desc) as next_at
          from messaging.messages as r
          where
            last_inbound_at > clock - interval '96 hours'
            and r.contact_id = free_entry_point.contact_id
            and r.content ? 'referral'
            and r.direction = 'inbound'
            and r.sent_at > clock - interval '96 hours'
        ) as referred
        cross join lateral (
          select m.sent_at
          from messaging.messages as m
          where
            m.contact_id = free_entry_point.contact_id
            and m.direction = 'outbound'
            and m.message_type != 'reaction'
            and m.status != 'failed'
            and m.sent_at >= greatest(
              referred.sent_at,
              least(referred.created_at, referred.sent_at + interval '1 second')
            )
            and m.sent_at <= least(
              referred.sent_at + interval '24 hours',
              referred.next_at + interval '1 second'
            )
          order by m.sent_at
          limit 1
        ) as answer
      order by referred.sent_at desc, referred.created_at desc
      limit 1
    ) as f
  where f.ends_at > clock;
end;

-- Whether a message with a ladder may go as it is. Gateways have no window. With a ladder a contact of whom no
-- message is known counts as closed. `closed_at`: the contact's message in spite of which the channel has called it
-- closed; only a later one opens it again.
create or replace function messaging.is_window_open(
  provider_class text, last_inbound_at timestamptz, closed_at timestamptz, clock timestamptz
) returns boolean language sql stable
return provider_class != 'official'
or coalesce(
  messaging.window_closes_at(last_inbound_at) >= clock
  and (closed_at is null or last_inbound_at > closed_at),
  false
);

-- When the official channel's conversation window closes: 24 hours after the contact's last message. NULL
-- where none is known.
create or replace function messaging.window_closes_at(last_inbound_at timestamptz)
returns timestamptz language sql stable
return last_inbound_at + interval '24 hours';
