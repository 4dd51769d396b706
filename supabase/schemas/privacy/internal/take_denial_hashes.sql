-- Takes the hashes that a repeated call brings, for known_denials: `request`.denialHashes {identity: HMAC}. They
-- hold until the transaction ends. A call that brings none changes nothing.
create or replace function messaging.take_denial_hashes(request jsonb)
returns void language plpgsql set search_path = '' as $$
begin
  if request ? 'denialHashes' then
    perform set_config('messaging.denial_hashes', request->>'denialHashes', true);
  end if;
end;
$$;
