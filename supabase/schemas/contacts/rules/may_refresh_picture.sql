-- Whether a picture that the channel reports replaces the one that it reported at `told_at`: at most once a week.
create or replace function messaging.may_refresh_picture(told_at timestamptz, clock timestamptz)
returns boolean language sql stable
return coalesce(told_at <= clock - interval '7 days', true);
