-- The sealed key of the HMACs of kept_denials. `request`: sealedKey, to keep where there is none yet or where
-- `formerKey` is the present one; NULL only reads. Returns {sealedKey}: the one that is kept, or NULL.
create or replace function public.keep_denial_key(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
begin
  if request->>'sealedKey' is not null then
    insert into messaging.denial_key as k (sealed_key) values (request->>'sealedKey')
    on conflict on constraint denial_key_pkey do update set sealed_key = excluded.sealed_key
    where k.sealed_key = request->>'formerKey';
  end if;
  return jsonb_build_object('sealedKey', (select k.sealed_key from messaging.denial_key k));
end;
$$;
