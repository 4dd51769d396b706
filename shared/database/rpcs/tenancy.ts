import type { InstanceRecord } from "../../model/instance_record.ts";
import type { WrittenSettings } from "../../model/instance_settings.ts";
import type { Issue } from "../../model/errors.ts";
import type { ConnectionLanguage } from "../../model/connection.ts";
import type { Instance } from "../../model/instance.ts";
import type { PeopleScope } from "../../model/people_scope.ts";
import type { ProviderKind } from "../../model/provider_kind.ts";
import type {
  DepartmentRecord,
  OperatorRecord,
  TokenRecord,
  WorkspaceRecord,
} from "../../model/tenant_records.ts";
import type { TokenScope } from "../../model/token_scope.ts";
import type { Once, RecordedResult } from "./idempotency.ts";
import type { Page, PageRequest } from "./page.ts";
import type { Grouped, Rpc } from "./rpc.ts";

export interface TenancyRpcs {
  authenticate_client: Rpc<
    { readonly tokenHash: string; readonly functionName: string },
    Authentication
  >;
  authenticate_clients: Grouped<TenancyRpcs["authenticate_client"]>;
  create_workspace: Rpc<
    Once<WorkspaceChanges & { readonly name: string }>,
    RecordedResult<WorkspaceRecord>
  >;
  update_workspace: Rpc<
    { readonly workspaceId: string; readonly changes: WorkspaceChanges },
    WorkspaceRecord
  >;
  get_workspace: Rpc<{ readonly workspaceId: string }, WorkspaceRecord>;
  list_workspaces: Rpc<PageRequest<object>, Page<WorkspaceRecord>>;
  create_operator: Rpc<
    Once<OperatorFields & { readonly workspaceId: string }>,
    RecordedResult<OperatorRecord>
  >;
  get_operator: Rpc<{ readonly operatorId: string }, OperatorRecord>;
  list_operators: Rpc<PageRequest<WorkspaceFilter>, Page<OperatorRecord>>;
  update_operator: Rpc<
    { readonly operatorId: string; readonly changes: Partial<OperatorFields> },
    OperatorRecord
  >;
  create_department: Rpc<
    Once<{ readonly workspaceId: string; readonly name: string }>,
    RecordedResult<DepartmentRecord>
  >;
  get_department: Rpc<{ readonly departmentId: string }, DepartmentRecord>;
  list_departments: Rpc<PageRequest<WorkspaceFilter>, Page<DepartmentRecord>>;
  update_department: Rpc<
    { readonly departmentId: string; readonly changes: { readonly name?: string } },
    DepartmentRecord
  >;
  create_instance: Rpc<CreateInstanceRequest, RecordedResult<InstanceRecord> | Refusal>;
  get_instance: Rpc<{ readonly instanceId: string }, InstanceRecord | Issues>;
  list_instances: Rpc<PageRequest<WorkspaceFilter>, Page<InstanceRecord>>;
  update_instance: Rpc<
    { readonly instanceId: string; readonly changes: InstanceChanges },
    InstanceRecord | Refusal
  >;
  create_client_token: Rpc<CreateTokenRequest, RecordedResult<TokenRecord & KeptToken>>;
  get_client_token: Rpc<TokenTarget, TokenRecord>;
  list_client_tokens: Rpc<PageRequest<{ readonly instanceId: string }>, Page<TokenRecord>>;
  revoke_client_token: Rpc<TokenTarget, TokenRecord>;
  create_connection_link: Rpc<
    CreateConnectionLink,
    RecordedResult<ConnectionLinkRecord & KeptToken>
  >;
  revoke_connection_link: Rpc<
    { readonly instanceId: string; readonly linkId: string },
    ConnectionLinkRecord
  >;
  enter_connection_link: Rpc<
    {
      readonly tokenHash: string;
      /** When the page was opened; null for one that opens. */
      readonly openedAt: string | null;
      readonly sendsTest: boolean;
    },
    EnteredLink | RefusedLink
  >;
  use_connection_link: Rpc<{ readonly linkId: string }, { readonly used: boolean }>;
  list_credentials_under_old_keys: Rpc<
    { readonly keyIds: readonly string[]; readonly limit: number },
    FormerSeals<SealedItem>
  >;
  replace_sealed_credentials: Rpc<
    { readonly items: readonly ResealedItem[] },
    { readonly replaced: number }
  >;
}

export type CreateConnectionLink = Once<{
  readonly linkId: string;
  readonly instanceId: string;
  readonly tokenHash: string;
  readonly language: ConnectionLanguage | null;
  readonly expiresInMinutes: number;
  readonly sealedToken: string | null;
}>;

export interface ConnectionLinkRecord {
  readonly linkId: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly revokedAt: string | null;
}

/** A link that may be looked at, and the instance whose phone it connects. */
export interface EnteredLink {
  readonly linkId: string;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly provider: ProviderKind;
  readonly sealedProviderConfig: string;
  readonly language: ConnectionLanguage | null;
  readonly expiresAt: string;
  /** When the page was opened. */
  readonly openedAt: string;
  /** Whether the phone was connected. */
  readonly isUsed: boolean;
}

export type RefusedLink =
  | { readonly refused: "not_found" | "ended" }
  | { readonly refused: "rate_limited"; readonly retryAfterSeconds: number };

/** Invalid fields that only the database can detect. */
export interface Issues {
  readonly issues: readonly Issue[];
}

/** Returned instead of a record: the invalid fields, or the field whose value is taken. */
export type Refusal = Issues | { readonly taken: string };

interface WorkspaceFilter {
  readonly workspaceId?: string;
}

/** The identity of a client token and its instance; nulls for an invalid token. */
export interface Authentication {
  readonly tokenId: string | null;
  /** Null for a token that has every scope. */
  readonly scopes: readonly TokenScope[] | null;
  /** The token's instance, with every reference that a request may use for it. */
  readonly instance: Instance & { readonly references: readonly (string | null)[] } | null;
  /** Another one after every change of the instance. */
  readonly instanceVersion: string | null;
  /** Null where the instance sets no limit. */
  readonly rateLimit: RateLimit | null;
}

/** The state of a token's rate limit for a function, as `count_request` returns it. */
export interface RateLimit {
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is available again. */
  readonly resetSeconds: number;
  /** Not null when this request exceeds the limit. */
  readonly retryAfterSeconds: number | null;
}

export interface WorkspaceChanges {
  readonly name?: string | undefined;
  /** The address for alerts that an operator must handle; an empty text removes it. */
  readonly alertEmail?: string | undefined;
  readonly peopleScope?: PeopleScope | undefined;
}

export type OperatorFields = Pick<OperatorRecord, "name" | "email">;

/** What an instance is called and where it is. */
export interface InstanceNames {
  readonly name: string;
  readonly businessInstanceId?: string | null | undefined;
  readonly connectedPhone: string;
  readonly timeZone: string;
}

/** Its sealed credentials, and its id at the provider. */
export interface InstanceCredentials {
  readonly sealedProviderConfig: string;
  readonly gatewayInstanceId: string | null;
}

export type CreateInstanceRequest = Once<
  & InstanceNames
  & WrittenSettings
  & InstanceCredentials
  & {
    readonly instanceId: string;
    readonly workspaceId: string;
    readonly provider: ProviderKind;
    readonly embedKey: string;
    readonly sendWindow: InstanceRecord["sendWindow"];
  }
>;

/** Writes the given fields. Absent fields keep their values. */
export type InstanceChanges = Partial<InstanceNames & InstanceCredentials> & WrittenSettings;

/** A token of an instance. */
export interface TokenTarget {
  readonly instanceId: string;
  readonly tokenId: string;
}

export type CreateTokenRequest = Once<
  TokenTarget & KeptToken & {
    readonly tokenHash: string;
    readonly label?: string | null | undefined;
    readonly expiresAt?: string | null | undefined;
    /** Null for every scope, also those of later releases. */
    readonly scopes: readonly TokenScope[] | null;
    readonly mcp?: Partial<TokenRecord["mcp"]> | undefined;
  }
>;

/** Stored only with the outcome of a call, so that a replay can return the token again. */
export interface KeptToken {
  readonly sealedToken?: string | null;
}

/** Credentials of an instance, as they are stored. */
export interface SealedItem {
  readonly instanceId: string;
  readonly sealedProviderConfig: string;
}

/** Credentials under the current key, with the sealed text that they replace. */
export interface ResealedItem extends SealedItem {
  readonly former: string;
}

/** What is sealed under former keys: the first of it, how much there is, and the ids of what no key can open. */
export interface FormerSeals<Sealed> {
  readonly items: readonly Sealed[];
  readonly total: number;
  readonly unreadable: readonly string[];
}
