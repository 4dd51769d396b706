-- Why an error pauses a batch at once, as the pause's reason: it is the template's or the account's, and so
-- every further message would meet it. NULL for all others.
create or replace function messaging.stops_batch(error jsonb)
returns text language sql immutable
return case
  when error ->> 'meaning' in ('template_refused', 'account_restricted') then error ->> 'meaning'
end;
