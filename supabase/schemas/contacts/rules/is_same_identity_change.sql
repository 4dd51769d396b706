-- Whether what tells another key of a person tells the change that was told last (`change`, as in
-- contacts.identity_change) once more: by one of its names; or by a message whose kind of notice (`source`) has
-- not told it yet, since each kind has a name of its own for a key; or by a system message that is no younger
-- than what has told it.
create or replace function messaging.is_same_identity_change(
  change jsonb,
  event jsonb,
  told_at timestamptz
)
returns boolean
language sql
stable
return coalesce(
  change -> 'names' ? (event ->> 'noticeId')
  or case
    when event ->> 'source' = 'system' then told_at <= (change ->> 'at')::timestamptz
    else not change -> 'sources' ? (event ->> 'source')
  end,
  false
);
