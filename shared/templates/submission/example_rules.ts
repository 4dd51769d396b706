import { mediaFormats } from "../../model/filled_template.ts";
import type { Issue } from "../../model/errors.ts";
import { listPlaceholders } from "../../model/placeholders.ts";
import {
  findButtons,
  findComponents,
  isAuthentication,
  type SubmittedComponent,
  type SubmittedTemplate,
} from "./submitted_template.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

/** The reviewer of a template needs an example of each variable and of each file. */
export const exampleRules: readonly TemplateRule[] = [
  {
    id: "text_examples",
    code: 2_388_043,
    source: pages.components,
    find: (template) => isAuthentication(template) ? [] : findTextFaults(template),
  },
  {
    id: "url_example",
    code: 2_388_043,
    source: pages.components,
    find: (template) =>
      findButtons(template).flatMap(({ part, path }) => {
        if (part.type !== "URL" || listPlaceholders(part.url ?? "").length === 0) return [];
        return isTextList(part["example"], 1)
          ? []
          : [{ path: `${path}.example`, message: "must be a list of one text for {{1}}" }];
      }),
  },
  {
    id: "media_example",
    code: 2_388_043,
    source: pages.components,
    find: (template) =>
      findComponents(template, "HEADER").flatMap(({ part, path }) =>
        mediaFormats.some((known) => known === part.format) && !hasMediaExample(part)
          ? [{ path: `${path}.example`, message: "is required: a file as mediaUrl or mediaId" }]
          : []
      ),
  },
];

function findTextFaults(template: SubmittedTemplate): Issue[] {
  return [
    ...findComponents(template, "HEADER").filter(({ part }) =>
      part.format === undefined || part.format === "TEXT"
    ).flatMap(({ part, path }) => checkExamples(template, part, `${path}.example`, "header_text")),
    ...findComponents(template, "BODY").flatMap(({ part, path }) =>
      checkExamples(template, part, `${path}.example`, "body_text")
    ),
  ];
}

/** Named variables need an example each by name; numbered ones a list, in a body a list of one list. */
function checkExamples(
  { parameterFormat }: SubmittedTemplate,
  { text, example }: SubmittedComponent,
  path: string,
  member: "header_text" | "body_text",
): Issue[] {
  const names = listPlaceholders(text ?? "");
  if (names.length === 0) return [];
  const isNamed = parameterFormat === "NAMED" && names.some((name) => name !== "1");
  if (isNamed) return checkNamed(names, example?.[`${member}_named_params`], member, path);
  const given = example?.[member];
  const list = member === "body_text" && Array.isArray(given) ? given[0] : given;
  if (isTextList(list, names.length)) return [];
  const form = member === "body_text" ? "one list of" : "a list of";
  return [{
    path: `${path}.${member}`,
    message: `must be ${form} ${names.length} ${names.length === 1 ? "text" : "texts"}`,
  }];
}

function checkNamed(
  names: readonly string[],
  given: unknown,
  member: string,
  path: string,
): Issue[] {
  const entries: readonly unknown[] = Array.isArray(given) ? given : [];
  const known = new Set(entries.flatMap((entry) => {
    const { param_name: name, example } = Object(entry) as Record<string, unknown>;
    return isText(example) && typeof name === "string" ? [name] : [];
  }));
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return [];
  return [{
    path: `${path}.${member}_named_params`,
    message: `must have param_name and example of each variable: ${missing.join(", ")}`,
  }];
}

/** A handle that the channel has given, or a file of ours that becomes one. */
function hasMediaExample({ example }: SubmittedComponent): boolean {
  return isTextList(example?.["header_handle"], 1) || isText(example?.["mediaUrl"]) ||
    isText(example?.["mediaId"]);
}

function isTextList(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
