/** Stand-ins for the platform's extensions, for databases elsewhere. */

/** The part of pg_cron that the schedule uses, with the same names and types. */
const cronStandIn = `
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
`;

/** pg_net 0.20.0, with its tables; `startNetWorker` makes the calls. */
export const netStandIn = `
create schema net;
create unlogged table net.http_request_queue (
  id bigint generated always as identity, method text not null, url text not null,
  headers jsonb not null, body bytea, timeout_milliseconds integer not null
);
create unlogged table net._http_response (
  id bigint, status_code integer, content_type text, headers jsonb, content text,
  timed_out boolean, error_msg text, created timestamptz not null default now()
);
create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds integer default 5000
) returns bigint language sql as $$
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values ('POST', url, headers, convert_to(body::text, 'utf8'), timeout_milliseconds)
  returning id
$$;
`;

/** The part of Vault that the schedule reads. A secret of another root key cannot be decrypted. */
export const vaultStandIn = `
create schema vault;
create table vault.secrets (
  name text, decrypted_secret text, is_of_other_root_key boolean not null default false
);
create function vault.decrypt(secret vault.secrets) returns text language plpgsql as $$
begin
  if secret.is_of_other_root_key then
    raise exception using errcode = '22000',
      message = 'pgsodium_crypto_aead_det_decrypt_by_id: invalid ciphertext';
  end if;
  return secret.decrypted_secret;
end
$$;
create view vault.decrypted_secrets as
  select s.name, vault.decrypt(s) as decrypted_secret from vault.secrets s;
`;

/** All of them. */
export const platformStandIns = cronStandIn + netStandIn + vaultStandIn;
