export interface OptionListOption {
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
}

export interface OptionList {
  readonly title: string;
  readonly buttonLabel: string;
  readonly options: readonly OptionListOption[];
}

/** What is said, in the specification's words (section 4.4). `message` is the text or the caption. */
export type MessageContent =
  | { readonly messageType: "text"; readonly message: string }
  | {
    readonly messageType: "image";
    readonly mediaUrl: string;
    readonly message?: string | undefined;
  }
  | { readonly messageType: "audio"; readonly mediaUrl: string }
  | {
    readonly messageType: "document";
    readonly mediaUrl: string;
    readonly mediaFilename?: string | undefined;
    readonly message?: string | undefined;
  }
  | {
    readonly messageType: "option_list";
    readonly message: string;
    readonly optionList: OptionList;
  }
  | { readonly messageType: "template"; readonly template: TemplateContent };

/** A template in the official channel's own shape, already filled. Gateways never receive one. */
export interface TemplateContent {
  readonly name: string;
  readonly language: string;
  readonly components: readonly Record<string, unknown>[];
}
