import type { Database } from "../../shared/database/database.ts";
import type { Idempotency } from "../../shared/idempotency/stored_response.ts";
import type { Replay } from "../../shared/messages/accept.ts";
import type { ParameterFormat } from "../../shared/model/filled_template.ts";
import type { ContactFacts } from "../../shared/templates/variables.ts";

/** A record of `message_templates` (specification, section 2). */
export interface StoredTemplate {
  readonly templateId: string;
  /** The only instance that may send it; null for every instance of the workspace. */
  readonly instanceId: string | null;
  readonly name: string;
  readonly language: string;
  readonly parameterFormat: ParameterFormat;
  /** In the official channel's shape. */
  readonly components: readonly unknown[];
  readonly providerStatus: string | null;
  readonly providerTemplateId: string | null;
}

/** What is needed before a template can be sent. */
export interface TemplateToSend {
  /** Null when the token's workspace has none with this id. */
  readonly template: StoredTemplate | null;
  /** The contact of the phone on the token's instance; null for one that is yet unknown. */
  readonly contact: ContactFacts | null;
  /** What an earlier call with the same Idempotency-Key came to; null for a new key. */
  readonly known: Replay | null;
}

/**
 * Reads the template and the contact of a call in one round trip; writes nothing.
 *
 * @throws {AppError} `idempotency_key_in_progress`, `idempotency_key_reused`.
 */
export function findTemplateToSend(
  database: Database,
  request: {
    readonly tokenId: string;
    readonly templateId: string;
    readonly phone: string;
    readonly idempotency: Idempotency | null;
  },
): Promise<TemplateToSend> {
  return database.rpc("find_template_to_send", request);
}
