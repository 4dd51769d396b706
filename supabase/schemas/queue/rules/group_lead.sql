-- How long before its first message leaves a group is claimed: what a claim and the poll before it may be late.
create or replace function messaging.group_lead()
returns interval language sql immutable
return interval '250 milliseconds';
