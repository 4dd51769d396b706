-- Creates what a hosted Supabase database has before the first migration, as far as our migrations
-- depend on it: the API's roles with their time limits, and default privileges that grant them every new
-- object in `public`.
-- The migrations revoke those privileges; tests can prove that only where they were granted.
-- Idempotent.

do $$
declare
  missing record;
begin
  for missing in
    select wanted.name, wanted.attributes
    from (
      values
        ('anon', 'nologin noinherit'),
        ('authenticated', 'nologin noinherit'),
        ('service_role', 'nologin noinherit bypassrls'),
        ('authenticator', 'login noinherit')
    ) as wanted (name, attributes)
    where not exists (select from pg_catalog.pg_roles where rolname = wanted.name)
  loop
    begin
      execute format('create role %I %s', missing.name, missing.attributes);
    exception
      -- Roles belong to the whole server, so another database's start may have created them.
      when duplicate_object or unique_violation then null;
    end;
  end loop;

  -- Grants only missing memberships, because two concurrent grants of one role fail. The direct
  -- transport connects as the owner and acts as service_role; the API connects as authenticator.
  for missing in
    select wanted.granted, wanted.member
    from (
      values
        ('anon', 'authenticator'),
        ('authenticated', 'authenticator'),
        ('service_role', 'authenticator'),
        ('service_role', current_user)
    ) as wanted (granted, member)
    where not exists (
      select from pg_catalog.pg_auth_members as membership
      where membership.roleid = wanted.granted::regrole
        and membership.member = wanted.member::regrole
        -- Who creates a role gets a membership that may grant it, but not act as it (Postgres 16).
        and coalesce(to_jsonb(membership) ->> 'set_option', 'true') = 'true'
    )
  loop
    execute format('grant %I to %I', missing.granted, missing.member);
  end loop;

  -- Time limits of the Data API's sessions. Its role also loads safeupdate, which is the platform's
  -- alone: a test reads our SQL for what it would refuse.
  for missing in
    select wanted.setting
    from unnest(array['statement_timeout', 'lock_timeout']) as wanted (setting)
    where not exists (
      select from pg_catalog.pg_roles, unnest(rolconfig) as present
      where rolname = 'authenticator' and starts_with(present, wanted.setting || '=')
    )
  loop
    begin
      execute format('alter role authenticator set %I = %L', missing.setting, '8s');
    exception
      -- Another database's start does the same, or the role belongs to somebody else.
      when internal_error or insufficient_privilege then null;
    end;
  end loop;
end
$$;

grant usage on schema public to anon, authenticated, service_role;

alter default privileges in schema public
  grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on functions to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on sequences to anon, authenticated, service_role;
