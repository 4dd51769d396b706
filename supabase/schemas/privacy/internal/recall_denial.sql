-- Trigger: a new contact whose person had denied marketing before an erasure starts `denied`, whatever
-- creates it. record_new_contacts records it. Errors: see is_kept_denial.
create or replace function messaging.recall_denial()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.consent_marketing = 'unknown'
    and messaging.is_kept_denial(new.instance_id, new.identity_key)
  then
    new.consent_marketing := 'denied';
    new.consent_at := date_trunc('milliseconds', clock_timestamp());
    new.consent_source := 'erasure';
  end if;
  return new;
end;
$$;
