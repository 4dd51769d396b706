-- The pace at which an instance sends: its own, at most what its number is allowed. NULL for no pace.
create or replace function messaging.present_pace(messages_per_second integer, allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when messages_per_second > messaging.allowed_pace(allowance) then messaging.allowed_pace(
    allowance
  )
  else messages_per_second
end;

-- What a number may do, as answers and events show it, by what the channel told (see `allowance` of dispatch)
-- and at a moment: {messagesPerSecond, source, newChats {used, quota, until}, timeLock {isActive, until, kind}}.
-- A gateway tells no speed. A lock whose end has passed is over, also where nobody told; so is what was used of a
-- quota: how much of the present one is, and when it ends, nobody has told.
create or replace function messaging.shown_allowance(
  allowance jsonb, provider_class text, at timestamptz, time_zone text
) returns jsonb language sql stable
return jsonb_build_object(
  'messagesPerSecond', case
    when provider_class = 'official' then messaging.allowed_pace(allowance)
  end,
  'source', case
    when provider_class != 'official' then null
    when allowance ->> 'isOnBusinessApp' = 'true' then 'coexistence'
    when allowance ->> 'throughput' in ('STANDARD', 'HIGH') then 'throughput'
    else 'default'
  end,
  'newChats', case
    when (allowance -> 'newChats' ->> 'until')::timestamptz <= at then jsonb_build_object(
      'used', null,
      'quota', allowance -> 'newChats' -> 'quota',
      'until', null
    )
    when allowance ? 'newChats' then jsonb_build_object(
      'used', allowance -> 'newChats' -> 'used',
      'quota', allowance -> 'newChats' -> 'quota',
      'until', messaging.iso_in_zone((allowance -> 'newChats' ->> 'until')::timestamptz, time_zone)
    )
  end,
  'timeLock', case
    when allowance ? 'timeLock' then jsonb_build_object(
      'isActive', allowance -> 'timeLock' ->> 'isActive' = 'true'
      and coalesce((allowance -> 'timeLock' ->> 'until')::timestamptz > at, true),
      'until', messaging.iso_in_zone((allowance -> 'timeLock' ->> 'until')::timestamptz, time_zone),
      'kind', allowance -> 'timeLock' -> 'kind'
    )
  end
);

-- How many messages a second the channel lets an official number send, by what it told (see `allowance` of
-- dispatch): 20 where the number is also used in the WhatsApp Business app, 1,000 at the level HIGH, else 80.
create or replace function messaging.allowed_pace(allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when allowance ->> 'isOnBusinessApp' = 'true' then 20
  when allowance ->> 'throughput' = 'HIGH' then 1000
  else 80
end;

-- Whether a refusal slows its instance down: the channel has refused a message for its speed, and the instance
-- has a pace. Others wait as after any temporary refusal.
create or replace function messaging.slows_pace(dispatch messaging.dispatch, error jsonb)
returns boolean language sql immutable
return dispatch.messages_per_second is not null and error ->> 'meaning' = 'too_fast';

-- How far behind `left_at` the next message of an instance leaves: see spacing. While the instance is slowed,
-- its pace is half.
create or replace function messaging.present_spacing(
  dispatch messaging.dispatch, left_at timestamptz, interval_seconds integer, follows_pace boolean
) returns interval language sql immutable
return case
  when follows_pace
  and dispatch.messages_per_second is not null
  and left_at < dispatch.slowed_until then 2 * messaging.spacing(
    dispatch.messages_per_second,
    interval_seconds,
    follows_pace
  )
  else messaging.spacing(dispatch.messages_per_second, interval_seconds, follows_pace)
end;

-- How far apart two queued messages of an instance leave, by what it is set to: the interval of the later one,
-- or the pace of the instance where the message has no interval of its own and the instance a pace. Rounded
-- up to a microsecond, so that in no second more messages than `messages_per_second` have their slots.
create or replace function messaging.spacing(
  messages_per_second integer, interval_seconds integer, follows_pace boolean
) returns interval language sql immutable
return case
  when follows_pace
  and messages_per_second is not null then interval '1 microsecond' * ceil(
    1000000.0 / messages_per_second
  )
  else make_interval(secs => interval_seconds)
end;

-- By how many seconds an interval grows: a whole number from 0 to `jitter_seconds`, which the seed alone
-- decides. 0 where that is NULL.
create or replace function messaging.jitter_of(seed text, jitter_seconds integer)
returns integer language sql immutable
return coalesce(
  (hashtextextended(seed, 0) & 9223372036854775807) % (nullif(jitter_seconds, 0) + 1),
  0
)::integer;

-- The interval of a queued message that has none of its own, where its instance has no pace (specification 4.4).
create or replace function messaging.default_interval_seconds()
returns integer language sql immutable
return 30;

-- How long before its first message leaves a group is claimed: what a claim and the poll before it may be late.
create or replace function messaging.group_lead()
returns interval language sql immutable
return interval '250 milliseconds';
