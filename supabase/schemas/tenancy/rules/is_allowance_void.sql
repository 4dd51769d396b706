-- Whether an allowance counts no longer, because the clock was set back since: none is whole later than in a
-- minute.
create or replace function messaging.is_allowance_void(whole_at timestamptz, clock timestamptz)
returns boolean language sql stable
return whole_at > clock + interval '1 minute';
