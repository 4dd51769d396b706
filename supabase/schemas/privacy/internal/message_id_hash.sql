-- The hash by which erased_messages knows a message: see there. In plpgsql, which keeps its plan: a SQL
-- function with a setting is parsed anew in each query of a webhook.
create or replace function messaging.message_id_hash(message_id text)
returns bytea language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return sha256(convert_to(message_id, 'UTF8'));
end;
$$;
