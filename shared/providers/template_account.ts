/** The templates of an account at its provider, one at a time. `template_listing.ts` has the whole list. */
import type { Bytes } from "../model/bytes.ts";
import type { ParameterFormat } from "../model/filled_template.ts";
import type { ListedTemplate, TemplateLimit } from "./template_listing.ts";

/** A template as it goes to the provider. */
export interface TemplateSubmission {
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly parameterFormat: ParameterFormat;
  readonly components: readonly unknown[];
}

/** What an edit changes; what is absent stays. */
export interface TemplateEdit {
  readonly category?: string | undefined;
  readonly parameterFormat?: ParameterFormat | undefined;
  readonly components?: readonly unknown[] | undefined;
}

/** The provider has refused a call, or was not reached: nothing has changed there. */
export interface TemplateRefusal {
  readonly outcome: "refused";
  readonly code: string;
  /** The provider's finer code; null where it reports none. */
  readonly subcode: number | null;
  /** The provider's words, redacted. */
  readonly message: string;
}

/** The provider may or may not have done it. Never repeated without looking it up. */
export interface UnknownTemplateOutcome {
  readonly outcome: "unknown";
  readonly reason: string;
}

type Outcome<Done> = Done | TemplateRefusal | UnknownTemplateOutcome;

/** What a created template is at first. The category may differ from the one asked for. */
export interface CreatedTemplate {
  readonly outcome: "done";
  readonly providerTemplateId: string;
  readonly providerStatus: string | null;
  readonly category: string | null;
}

/** The templates of one name and language, and how many the account has and may have. */
export interface FoundTemplates {
  readonly outcome: "done";
  /** Of this name, in every language. */
  readonly templates: readonly ListedTemplate[];
  readonly limit: TemplateLimit | null;
}

/** A file that shows what a header may hold. */
export interface SampleFile {
  readonly fileName: string;
  readonly mimeType: string;
  readonly size: number;
  /** Once for each call. */
  readonly open: () => ReadableStream<Bytes>;
}

/**
 * An account's templates. Each method makes its call once; `timeoutMs` is of one call. `appId` is needed
 * for `upload` alone.
 */
export interface TemplateAccount {
  readonly hasApp: boolean;
  find(name: string): Promise<Outcome<FoundTemplates>>;
  create(template: TemplateSubmission): Promise<Outcome<CreatedTemplate>>;
  edit(providerTemplateId: string, changes: TemplateEdit): Promise<Outcome<{ outcome: "done" }>>;
  /** Deletes this one language. */
  remove(
    template: { readonly name: string; readonly providerTemplateId: string },
  ): Promise<Outcome<{ outcome: "done" }>>;
  /** The handle by which a header names the file. An upload that may have arrived is harmless. */
  upload(file: SampleFile): Promise<Outcome<{ outcome: "done"; handle: string }>>;
}
