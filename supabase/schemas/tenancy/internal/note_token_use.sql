-- Writes when tokens were last used. Waits for nobody: a row that is locked keeps its instant.
create or replace function messaging.note_token_use(token_ids uuid[])
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.client_tokens t set last_used_at = clock_timestamp()
  where t.id = any (array(
    select u.id from messaging.client_tokens u
    where u.id = any (token_ids)
    for no key update skip locked
  ));
end;
$$;
