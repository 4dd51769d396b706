/** The statuses that Meta's review and quality rating give a template. */
export const templateStatuses = ["PENDING", "APPROVED", "REJECTED", "PAUSED", "DISABLED"] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

export const templateCategories = ["UTILITY", "MARKETING", "AUTHENTICATION"] as const;

export const templateQualities = ["GREEN", "YELLOW", "RED", "UNKNOWN"] as const;
export type TemplateQuality = (typeof templateQualities)[number];

/** A part of a template's wording, in the official channel's format. */
export interface TemplateComponent {
  readonly type: string;
  readonly format?: string | undefined;
  readonly text?: string | undefined;
  readonly [field: string]: unknown;
}

/** A template as Meta lists it. */
export interface SimulatedTemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly category: string;
  readonly parameter_format: "NAMED" | "POSITIONAL";
  readonly components: readonly TemplateComponent[];
  /** `NONE` for no reason. */
  readonly rejected_reason?: string;
  readonly quality_score?: { readonly score: TemplateQuality };
}
