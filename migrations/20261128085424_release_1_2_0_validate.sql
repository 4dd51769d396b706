-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.

set local lock_timeout = '3s';

set local check_function_bodies = off;

alter table messaging.ai_agents validate constraint ai_agents_answers_within;

alter table messaging.batches validate constraint batches_pause_reason_known;

alter table messaging.conversations validate constraint conversations_handled_by_known;

alter table messaging.dispatch validate constraint dispatch_webhooks_known;

alter table messaging.instances validate constraint instances_messages_per_second;

alter table messaging.instances validate constraint instances_provider_known;

alter table messaging.outbox validate constraint outbox_kind_known;
