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
