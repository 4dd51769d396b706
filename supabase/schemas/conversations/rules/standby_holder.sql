-- Who holds a conversation of which the channel shows us a message that another responder got: the one that is
-- known to, else `other`, because the channel does not say whom.
create or replace function messaging.standby_holder(handled_by text)
returns text language sql immutable parallel safe
return case
  when handled_by = 'us' then 'other'
  else handled_by
end;
