import { parameterFormats, templateCategories } from "../../model/filled_template.ts";
import type { Issue } from "../../model/errors.ts";
import { templateLanguages } from "./languages.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

/** How long the name of a deleted template stays taken (page Template management, Deleting). */
const deletedNameDays = 30;

/** Rules about what a template is called, and about the account that it would join. */
export const identityRules: readonly TemplateRule[] = [
  {
    id: "name_characters",
    code: null,
    source: pages.management,
    find: ({ name }) =>
      /^[a-z0-9_]{0,512}$/.test(name) && name !== "" ? [] : [{
        path: "name",
        message: "must be 1 to 512 lower-case letters, digits and underscores",
      }],
  },
  {
    id: "language_known",
    code: null,
    source: "Meta: Supported languages",
    find: ({ language }) =>
      templateLanguages.has(language) ? [] : [{
        path: "language",
        message: "must be a language of the channel's list, such as pt_BR",
      }],
  },
  {
    id: "category_known",
    code: null,
    source: "Meta: Template categorization",
    find: ({ category }) =>
      templateCategories.some((known) => known === category)
        ? []
        : [{ path: "category", message: "must be MARKETING, UTILITY or AUTHENTICATION" }],
  },
  {
    id: "parameter_format_known",
    code: null,
    source: pages.components,
    find: ({ parameterFormat }) =>
      parameterFormats.some((known) => known === parameterFormat)
        ? []
        : [{ path: "parameterFormat", message: "must be POSITIONAL or NAMED" }],
  },
  {
    id: "account_limit",
    code: 2_388_019,
    source: pages.errors,
    find: (_, { limit }) =>
      limit === null || limit.used < limit.total ? [] : [{
        path: "name",
        message: `the account has ${limit.used} templates of ${limit.total}: delete one first`,
      }],
  },
  {
    id: "name_being_deleted",
    code: 2_388_023,
    source: `${pages.errors}; ${pages.management}, Deleting`,
    find: ({ language }, account) =>
      account.sameName.some((known) => known.language === language && isBlocked(known, account.now))
        ? [beingDeleted]
        : [],
  },
  {
    id: "language_exists",
    code: 2_388_024,
    source: pages.errors,
    find: ({ language }, { sameName }) =>
      sameName.some((known) => known.language === language && !gone.has(known.status))
        ? [{ path: "language", message: "the account has this template in this language already" }]
        : [],
  },
];

const gone = new Set(["DELETED", "PENDING_DELETION"]);

const beingDeleted: Issue = {
  path: "name",
  message:
    `this template is being deleted in this language: its name stays taken for ${deletedNameDays} days`,
};

function isBlocked(
  { status, deletedAt }: { readonly status: string; readonly deletedAt: string | null },
  now: string,
): boolean {
  if (status === "PENDING_DELETION") return true;
  if (status !== "DELETED" || deletedAt === null) return false;
  return Date.parse(now) - Date.parse(deletedAt) < deletedNameDays * 86_400_000;
}
