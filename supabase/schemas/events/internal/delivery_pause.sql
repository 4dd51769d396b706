-- How long a delivery waits after its `tries`th failure; NULL after the last one, the eighth. Jitter of
-- a tenth spreads the attempts of many deliveries that failed at once. What a receiver asks for by
-- `Retry-After` counts up to a day, where it is longer.
create or replace function messaging.delivery_pause(tries integer, retry_after_ms bigint)
returns interval language sql volatile set search_path = '' as $$
select greatest(
    (array[
      interval '5 seconds', interval '5 minutes', interval '30 minutes', interval '2 hours',
      interval '5 hours', interval '10 hours', interval '10 hours'
    ])[tries] * (0.9 + 0.2 * random()),
    interval '1 millisecond' * least(coalesce(retry_after_ms, 0), 86400000)
  )
  where tries <= 7;
$$;
