/** Stand-ins for the platform's extensions, for databases elsewhere. */

/** The parts of pg_cron, pg_net and Vault that the schedule uses, with the same names and types. */
export const platformStandIns = `
create schema cron;
create table cron.job (
  jobid bigint generated always as identity primary key, jobname text unique, schedule text,
  command text, active boolean not null default true
);
create table cron.job_run_details (
  jobid bigint, status text, return_message text, start_time timestamptz, end_time timestamptz
);
create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql as $$
  insert into cron.job (jobname, schedule, command) values (job_name, schedule, command)
  on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command
  returning jobid
$$;
create schema net;
create table net.calls (
  id bigint generated always as identity, url text, body jsonb, headers jsonb, timeout integer
);
create table net._http_response (
  id bigint, status_code integer, error_msg text, created timestamptz not null default now()
);
create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds integer default 5000
) returns bigint language sql as $$
  insert into net.calls (url, body, headers, timeout)
  values (url, body, headers, timeout_milliseconds) returning id
$$;
create schema vault;
create table vault.secrets (name text, decrypted_secret text);
create view vault.decrypted_secrets as select * from vault.secrets;
`;
