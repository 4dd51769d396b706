-- Whether the messages of a batch may go by a rung of a ladder: its channel has a window, and it has a ladder.
create or replace function messaging.has_ladder(
  instance messaging.instances, batch messaging.batches
) returns boolean language sql stable set search_path = '' as $$
  select instance.provider_class = 'official' and batch.source->'ladder' is not null;
$$;
