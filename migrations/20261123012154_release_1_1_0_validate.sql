-- Written by `deno task db:migration`: edit supabase/schemas, and let it be written anew.

set local lock_timeout = '3s';

set local check_function_bodies = off;

alter table messaging.ai_agents validate constraint ai_agents_answer_length;

alter table messaging.client_tokens validate constraint client_tokens_mcp_recipients_known;

alter table messaging.client_tokens validate constraint client_tokens_mcp_sends_range;

alter table messaging.contacts validate constraint contacts_consent_known;

alter table messaging.contacts validate constraint contacts_merged_into;

alter table messaging.dispatch validate constraint dispatch_connection_known;

alter table messaging.instances validate constraint instances_free_service_messages;

alter table messaging.instances validate constraint instances_interactive_rendering_known;

alter table messaging.instances validate constraint instances_messages_per_second;

alter table messaging.instances validate constraint instances_pace_is_official;

alter table messaging.instances validate constraint instances_people_scope_known;

alter table messaging.instances validate constraint instances_read_receipts_known;

alter table messaging.instances validate constraint instances_retention_days;

alter table messaging.instances validate constraint instances_transcribe_voice_known;

alter table messaging.outbox validate constraint outbox_kind_known;

alter table messaging.workspaces validate constraint workspaces_people_scope_known;
