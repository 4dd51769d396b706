import { type Issue, maxIssues } from "../../model/errors.ts";
import { authenticationRules } from "./authentication_rules.ts";
import { buttonRules } from "./button_rules.ts";
import { componentRules } from "./component_rules.ts";
import { exampleRules } from "./example_rules.ts";
import { identityRules } from "./identity_rules.ts";
import { type KnownAccount, readSubmittedTemplate } from "./submitted_template.ts";
import type { TemplateRule } from "./template_rule.ts";
import { textRules } from "./text_rules.ts";

/** Everything that the official channel refuses by rule, before anybody reviews the template. */
export const templateRules: readonly TemplateRule[] = [
  ...identityRules,
  ...componentRules,
  ...textRules,
  ...exampleRules,
  ...buttonRules,
  ...authenticationRules,
];

/** A fault, the rule that finds it, and the code of Meta's refusal where Meta documents one. */
export interface TemplateIssue extends Issue {
  readonly rule: string;
  readonly code: number | null;
}

/** Of an account of which nothing is known. */
export function unknownAccount(now: string): KnownAccount {
  return { limit: null, sameName: [], now };
}

/**
 * What the official channel would refuse in a template, up to a hundred faults at once and in the order of
 * the rules.
 * `value` may be anything. Pure: the clock and what is known of the account are in `account`.
 */
export function validateTemplate(value: unknown, account: KnownAccount): readonly TemplateIssue[] {
  const read = readSubmittedTemplate(value);
  if ("issues" in read) {
    return read.issues.map((issue) => ({ ...issue, rule: "template_form", code: null }));
  }
  const issues: TemplateIssue[] = [];
  for (const { id, code, find } of templateRules) {
    issues.push(...find(read.template, account).map((issue) => ({ ...issue, rule: id, code })));
    if (issues.length >= maxIssues) return issues.slice(0, maxIssues);
  }
  return issues;
}
