import type { Issue } from "../../model/errors.ts";
import type { ParameterFormat } from "../../model/filled_template.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type { TemplateRecord, TemplateSyncReport } from "../../model/template_record.ts";
import type { NamedTemplate, Recipient } from "../../model/request_fields.ts";
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
      {
        readonly workspaceId?: string;
        readonly instanceId?: string;
        readonly sendableBy?: string;
        /** Part of the name or of the body, without regard to case. */
        readonly q?: string | undefined;
        readonly language?: string | undefined;
        readonly status?: string | undefined;
      }
    >,
    Page<TemplateRecord>
  >;
  update_message_template: Rpc<
    { readonly templateId: string; readonly changes: Partial<TemplateFields> },
    TemplateRecord
  >;
  find_templates_by_name: Rpc<
    { readonly instanceId: string; readonly name: string },
    { readonly items: readonly SameNameTemplate[] }
  >;
  find_template_to_send: Rpc<FindTemplateRequest, TemplateToSend>;
  find_ladder_templates: Rpc<
    Partial<Recipient> & {
      readonly instanceId: string;
      readonly templates: readonly NamedTemplate[];
    },
    {
      /** In the order asked; null for one that the workspace has not. */
      readonly templates: readonly (StoredTemplate | null)[];
      readonly contact: ContactFacts | null;
    }
  >;
  begin_template_call: Rpc<
    BeginTemplateCall,
    TemplateCall | TemplateCallRefusal | TemplateCallEnd
  >;
  settle_template_call: Rpc<
    TemplateChanges & { readonly templateId: string; readonly token: string | null },
    TemplateRecord
  >;
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

/** What sending needs of a template's record. */
export type StoredTemplate =
  & Pick<
    TemplateRecord,
    | ("templateId" | "instanceId" | "name" | "language" | "parameterFormat" | "category")
    | ("providerStatus" | "providerTemplateId")
  >
  & { readonly components: readonly unknown[] };

/** A template of an account, as far as it is known here. */
export interface SameNameTemplate {
  readonly language: string;
  readonly status: string;
  /** When it was deleted here; null where it was not. */
  readonly deletedAt: string | null;
}

export interface BeginTemplateCall {
  readonly templateId: string;
  /** The instance whose account it is, of a workspace's template. */
  readonly instanceId: string | null;
  readonly kind: "submit" | "edit" | "delete";
  /** Of an edit. */
  readonly changesCategory?: boolean | undefined;
  /** Of an edit: it asks for what is stored. */
  readonly changesNothing?: boolean | undefined;
  readonly leaseSeconds: number;
}

/** A template that is claimed for one call to its provider. */
export interface TemplateCall {
  readonly refused: null;
  readonly template: TemplateRecord;
  readonly instanceId: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly token: string;
  /** The outcome of an earlier call is not known. */
  readonly hasOpenCall: boolean;
}

/** Why no call is to be made. */
export interface TemplateCallRefusal {
  readonly template: TemplateRecord;
  readonly refused:
    | ("template_call_in_progress" | "template_not_editable" | "template_category_fixed")
    | ("template_edit_limit" | "template_exists" | "instance_required" | "instance_differs");
  /** When it would be taken, of `template_edit_limit`. */
  readonly at: string | null;
}

/** There is nothing to call for: it is done, or the provider does not have the template. */
export type TemplateCallEnd =
  | { readonly template: TemplateRecord; readonly isDone: true }
  | { readonly template: TemplateRecord; readonly isLocal: true };

/** What a call to the provider came to; what is absent stays. */
export interface TemplateChanges {
  /** False: the outcome is to be looked up before anything is repeated. */
  readonly isKnown: boolean;
  readonly isEdit?: boolean | undefined;
  readonly isDeleted?: boolean | undefined;
  readonly providerTemplateId?: string | undefined;
  readonly providerStatus?: string | undefined;
  readonly category?: string | null | undefined;
  readonly statusReason?: string | null | undefined;
  readonly quality?: string | null | undefined;
  readonly components?: readonly unknown[] | undefined;
  readonly parameterFormat?: ParameterFormat | undefined;
}

export type CreateTemplateRequest = Once<
  TemplateFields & {
    /** Derived from the instance where it is absent. */
    readonly workspaceId?: string | undefined;
    readonly instanceId?: string | null | undefined;
  }
>;

export type FindTemplateRequest = Once<
  Recipient & NamedTemplate & { readonly tokenId: string }
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
  readonly templates: readonly (TemplateFields & {
    readonly providerTemplateId: string;
    readonly rejectedReason: string | null;
    readonly quality: string | null;
    readonly isAutoGenerated: boolean;
  })[];
  /** As the provider reports it; null where it reports none. */
  readonly limit: { readonly used: number; readonly total: number } | null;
}>;
