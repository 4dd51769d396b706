import type { Issue } from "../../model/errors.ts";
import { isNumbered, listPlaceholders } from "../../model/placeholders.ts";
import { countWords } from "./languages.ts";
import {
  findComponents,
  isAuthentication,
  type Placed,
  type SubmittedComponent,
  type SubmittedTemplate,
} from "./submitted_template.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

const placeholder = /\{\{\s*[\p{L}\p{N}_]+\s*\}\}/gu;
const edge = /^\s*\{\{[^{}]*\}\}|\{\{[^{}]*\}\}\s*$/u;

/** Rules about the wording of header, body and footer, and about variables in it. */
export const textRules: readonly TemplateRule[] = [
  {
    id: "header_wording",
    code: 2_388_047,
    source: pages.errors,
    find: (template) =>
      listTexts(template, "HEADER").flatMap(({ part, path }) => checkPlain(part, path)),
  },
  {
    id: "header_variables",
    code: 2_388_047,
    source: pages.components,
    find: (template) =>
      listTexts(template, "HEADER").flatMap(({ part, path }) =>
        listPlaceholders(part).length > 1
          ? [{ path, message: "must have at most one variable" }]
          : []
      ),
  },
  {
    id: "footer_wording",
    code: 2_388_073,
    source: pages.errors,
    find: (template) =>
      listTexts(template, "FOOTER").flatMap(({ part, path }) => [
        ...(/\{\{/.test(part) ? [{ path, message: "must not have variables" }] : []),
        ...checkPlain(part, path),
      ]),
  },
  {
    id: "variable_form",
    code: 2_388_072,
    source: `${pages.errors}; ${pages.guidelines}`,
    find: (template) =>
      [...listTexts(template, "HEADER"), ...listTexts(template, "BODY")]
        .flatMap(({ part, path }) => checkVariables(part, path, template.parameterFormat)),
  },
  {
    id: "variable_order",
    code: 2_388_072,
    source: `${pages.errors}; ${pages.guidelines}`,
    find: ({ parameterFormat, ...template }) =>
      parameterFormat === "NAMED"
        ? []
        : ["HEADER", "BODY"].flatMap((type) => listTexts({ ...template, parameterFormat }, type))
          .flatMap(({ part, path }) => checkNumbers(part, path)),
  },
  {
    id: "variables_for_length",
    code: 2_388_293,
    source: `${pages.errors}: 2n + 1 words for n variables`,
    find: (template) =>
      listTexts(template, "BODY").flatMap(({ part, path }) =>
        checkRatio(part, path, template.language)
      ),
  },
  {
    id: "variable_at_edge",
    code: 2_388_299,
    source: pages.errors,
    find: (template) =>
      listTexts(template, "BODY").flatMap(({ part, path }) =>
        edge.test(part)
          ? [{ path, message: "must not begin or end with a variable: add words around it" }]
          : []
      ),
  },
];

/** The texts of a type of part. Codes have none, for which rules of their own exist. */
function listTexts(template: SubmittedTemplate, type: string): Placed<string>[] {
  if (isAuthentication(template)) return [];
  return findComponents(template, type)
    .filter(({ part }) => type !== "HEADER" || isTextHeader(part))
    .flatMap(({ part: { text }, path }) =>
      text === undefined ? [] : [{ part: text, path: `${path}.text` }]
    );
}

function isTextHeader({ format }: SubmittedComponent): boolean {
  return format === undefined || format === "TEXT";
}

/**
 * What a plain line may not have. Buttons' labels share it, and a variable's name is not part of the
 * wording.
 */
export function checkPlain(text: string, path: string): Issue[] {
  const wording = text.replace(placeholder, "");
  const isFormatted = /[*`]/.test(wording) ||
    ["_", "~"].some((sign) => isWrapped(wording, sign));
  const faults = [
    [/[\r\n]/.test(wording), "line breaks"],
    [/\p{Extended_Pictographic}/u.test(wording), "emoji"],
    [isFormatted, "formatting characters"],
  ] as const;
  return faults.filter(([isFound]) => isFound)
    .map(([, what]) => ({ path, message: `must not have ${what}` }));
}

/** Whether a sign stands around words of one line, as in `_these words_`. */
function isWrapped(text: string, sign: string): boolean {
  return text.split(/[\n\r\u2028\u2029]/).some((line) => {
    const words = line.split(/\s/);
    const first = words.findIndex((word) => word.length > 1 && word.startsWith(sign));
    const last = words.findLastIndex((word) => word.length > 1 && word.endsWith(sign));
    return first >= 0 && first < last ||
      words.some((word) => word.length > 2 && word.startsWith(sign) && word.endsWith(sign));
  });
}

/** Braces that are no variable, or a variable that the template's format does not have. */
function checkVariables(text: string, path: string, format: string): Issue[] {
  if (/[{}]/.test(text.replace(placeholder, ""))) {
    const message = "has braces that are no variable: write {{1}} or {{name}}";
    return [{ path, message }];
  }
  const names = listPlaceholders(text);
  // A header's only variable may be {{1}} in a template of either format.
  const isWrong = format === "NAMED"
    ? (name: string) => !/^[a-z_][a-z0-9_]*$/.test(name) && name !== "1"
    : (name: string) => !isNumbered(name);
  const wrong = names.find(isWrong);
  if (wrong === undefined) return [];
  const form = format === "NAMED"
    ? "lower-case letters, digits and underscores"
    : "a number in a POSITIONAL template";
  return [{ path, message: `the variable {{${wrong}}} must be ${form}` }];
}

/** Numbers begin at 1 in each part, and leave none out. */
function checkNumbers(text: string, path: string): Issue[] {
  const numbers = new Set(listPlaceholders(text).filter(isNumbered).map(Number));
  const missing = [...numbers.keys()].map((_, index) => index + 1)
    .find((one) => !numbers.has(one));
  if (missing === undefined) return [];
  return [{ path, message: `must number its variables from {{1}} on: {{${missing}}} is missing` }];
}

function checkRatio(text: string, path: string, language: string): Issue[] {
  const count = listPlaceholders(text).length;
  if (count === 0) return [];
  const words = countWords(text.replace(placeholder, " "), language);
  const needed = 2 * count + 1;
  if (words >= needed) return [];
  const message = `has too many variables for its length: ${count} need ${needed} words beside ` +
    `them, and there are ${words}`;
  return [{ path, message }];
}
