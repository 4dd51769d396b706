-- How long to wait before trying a message again: 2, 8, 32, 128, 512 seconds with up to a fifth
-- more at random, or the provider's Retry-After where that is longer. The one place of the backoff.
create or replace function messaging.retry_delay(attempts integer, retry_after_ms integer)
returns interval language sql volatile set search_path = '' as $$
  select greatest(
    interval '2 seconds' * power(4, least(attempts, 5) - 1) * (1 + random() / 5),
    interval '1 millisecond' * coalesce(retry_after_ms, 0)
  );
$$;
