import type { Issue } from "../../model/errors.ts";
import type { ParameterFormat } from "../../model/filled_template.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type { Recipient } from "../../model/request_fields.ts";
import type { Once, RecordedResult, Replayed } from "./idempotency.ts";
import type { Replay } from "./messages.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Rpc } from "./rpc.ts";

export interface TemplatesRpcs {
  create_message_template: Rpc<
    CreateTemplateRequest,
    RecordedResult<TemplateRecord> | { readonly issues: readonly Issue[] }
  >;
  get_message_template: Rpc<{ readonly templateId: string }, TemplateRecord>;
  list_message_templates: Rpc<
    PageRequest<
      { readonly workspaceId?: string; readonly instanceId?: string; readonly sendableBy?: string }
    >,
    Page<TemplateRecord>
  >;
  update_message_template: Rpc<
    { readonly templateId: string; readonly changes: Partial<TemplateFields> },
    TemplateRecord
  >;
  find_template_to_send: Rpc<FindTemplateRequest, TemplateToSend>;
  begin_template_sync: Rpc<
    Once<{ readonly instanceId: string }>,
    SyncTarget | Replayed<TemplateSyncReport>
  >;
  sync_message_templates: Rpc<SyncTemplatesRequest, RecordedResult<TemplateSyncReport>>;
}

/** The writable fields of a template; `components` in the official channel's shape. */
export interface TemplateFields {
  readonly name: string;
  readonly language: string;
  readonly parameterFormat: ParameterFormat;
  readonly components: readonly unknown[];
  readonly category?: string | null | undefined;
  readonly providerStatus?: string | null | undefined;
  readonly providerTemplateId?: string | null | undefined;
}

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
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`; null where nobody has told it. */
  readonly category: string | null;
  readonly providerStatus: string | null;
  readonly providerTemplateId: string | null;
}

/** A component in the official channel's shape, whose other members follow from its type. */
export interface TemplateComponent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The template as admin-api returns it. */
export interface TemplateRecord extends StoredTemplate {
  readonly components: readonly TemplateComponent[];
  readonly workspaceId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type CreateTemplateRequest = Once<
  TemplateFields & {
    /** Derived from the instance where it is absent. */
    readonly workspaceId?: string | undefined;
    readonly instanceId?: string | null | undefined;
  }
>;

export type FindTemplateRequest = Once<
  Recipient & { readonly tokenId: string; readonly templateId: string }
>;

/** The default values of the template variables `nome` and `telefone`. */
export interface ContactFacts {
  readonly name: string | null;
  /** Null for a contact that hides it. */
  readonly phone: string | null;
}

/** Everything that sending a template needs from the database. */
export interface TemplateToSend {
  /** Null when the token's workspace has none with this id. */
  readonly template: StoredTemplate | null;
  /** The contact of the phone on the token's instance; null for an unknown one. */
  readonly contact: ContactFacts | null;
  /** The outcome of an earlier call with the same `Idempotency-Key`; null for a new key. */
  readonly known: Replay | null;
}

/** The instance whose templates are to be read from its provider. */
export interface SyncTarget {
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly askedAt: string;
}

export type SyncTemplatesRequest = Once<{
  readonly instanceId: string;
  /** Taken before the list was read, so that newer status decisions are kept. */
  readonly askedAt: string;
  readonly templates: readonly (TemplateFields & { readonly providerTemplateId: string })[];
}>;

export interface TemplateSyncReport {
  readonly instanceId: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly items: readonly {
    readonly templateId: string;
    readonly name: string;
    readonly language: string;
    readonly providerStatus: string;
    readonly providerTemplateId: string;
    readonly change: "created" | "updated" | "unchanged" | "deleted";
  }[];
}
