-- What a number may do, as answers and events show it, by what the channel told (see `allowance` of dispatch)
-- and at a moment: {messagesPerSecond, source, newChats {used, quota, until}, timeLock {isActive, until, kind}}.
-- A gateway tells no speed. A lock whose end has passed is over, also where nobody told.
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
