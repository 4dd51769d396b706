import type { Issue } from "../../model/errors.ts";
import type { KnownAccount, SubmittedTemplate } from "./submitted_template.ts";

/** One reason for which the official channel refuses a template without a review. */
export interface TemplateRule {
  /** Names the rule in answers: `variable_at_edge`. */
  readonly id: string;
  /** The `error_subcode` of Meta's refusal; null where Meta documents none. */
  readonly code: number | null;
  /** Where the rule stands. */
  readonly source: string;
  /** The faults, each with its path in the template. Pure. */
  readonly find: (template: SubmittedTemplate, account: KnownAccount) => readonly Issue[];
}

/** Meta's pages, as sources of rules. */
export const pages = {
  components: "Meta: Template components",
  authentication: "Meta: Authentication templates",
  management: "Meta: Template management",
  errors: "Meta: Error codes, Template creation errors",
  guidelines: "Meta: Template guidelines, Common rejection reasons",
  manager: "Meta: WhatsApp Manager, Create template",
} as const;
