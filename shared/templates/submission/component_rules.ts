import { componentTypes, headerFormats } from "../../model/filled_template.ts";
import type { Issue } from "../../model/errors.ts";
import {
  findButtons,
  findComponents,
  isAuthentication,
  type SubmittedTemplate,
} from "./submitted_template.ts";
import { pages, type TemplateRule } from "./template_rule.ts";

/** Kinds of templates that Meta has and this API does not submit. */
const unsupportedParts: Readonly<Record<string, string>> = {
  CAROUSEL: "carousel templates are not supported: create it in WhatsApp Manager",
  LIMITED_TIME_OFFER: "limited-time offers are not supported: create it in WhatsApp Manager",
};

/** The longest text of each part, in characters (page Template components). */
const longest = { HEADER: 60, BODY: 1_024, FOOTER: 60 } as const;
const longestOfButton = { text: 25, url: 2_000, phone_number: 20 } as const;

/** Rules about the parts and the length of their texts. */
export const componentRules: readonly TemplateRule[] = [
  {
    id: "part_supported",
    code: null,
    source: "Meta: Carousel templates; Limited-time offer templates",
    find: ({ components }) =>
      components.flatMap(({ type }, index) => {
        const message = unsupportedParts[type];
        return message === undefined ? [] : [{ path: `components.${index}.type`, message }];
      }),
  },
  {
    id: "part_known",
    code: null,
    source: pages.components,
    find: ({ components }) =>
      components.flatMap(({ type }, index) =>
        componentTypes.some((known) => known === type) || unsupportedParts[type] !== undefined
          ? []
          : [{ path: `components.${index}.type`, message: `must be ${componentTypes.join(", ")}` }]
      ),
  },
  {
    id: "part_once",
    code: null,
    source: pages.components,
    find: ({ components }) =>
      components.flatMap(({ type }, index) =>
        components.findIndex((other) => other.type === type) === index ? [] : [{
          path: `components.${index}.type`,
          message: `must be unique: there is another ${type}`,
        }]
      ),
  },
  {
    id: "body_required",
    code: null,
    source: pages.components,
    find: (template) =>
      findComponents(template, "BODY").length > 0
        ? []
        : [{ path: "components", message: "must contain a BODY" }],
  },
  {
    id: "part_complete",
    code: 2_388_043,
    source: pages.components,
    find: (template) => isAuthentication(template) ? [] : findIncomplete(template),
  },
  {
    id: "header_format",
    code: null,
    source: pages.components,
    find: (template) =>
      findComponents(template, "HEADER").flatMap(({ part: { format }, path }) =>
        format === undefined || headerFormats.some((known) => known === format)
          ? []
          : [{ path: `${path}.format`, message: `must be ${headerFormats.join(", ")}` }]
      ),
  },
  {
    id: "text_length",
    code: 2_388_040,
    source: pages.components,
    find: (template) => [...findLongTexts(template), ...findLongButtons(template)],
  },
];

function findIncomplete(template: SubmittedTemplate): Issue[] {
  const required = (path: string): Issue => ({ path, message: "is required" });
  const texts = ["BODY", "FOOTER"].flatMap((type) => findComponents(template, type))
    .filter(({ part }) => isBlank(part.text)).map(({ path }) => required(`${path}.text`));
  const headers = findComponents(template, "HEADER").flatMap(({ part, path }) => {
    if (part.format === undefined) return [required(`${path}.format`)];
    return part.format === "TEXT" && isBlank(part.text) ? [required(`${path}.text`)] : [];
  });
  const buttons = findComponents(template, "BUTTONS")
    .filter(({ part }) => (part.buttons ?? []).length === 0)
    .map(({ path }) => required(`${path}.buttons`));
  return [...headers, ...texts, ...buttons];
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function findLongTexts(template: SubmittedTemplate): Issue[] {
  return Object.entries(longest).flatMap(([type, limit]) =>
    findComponents(template, type).flatMap(({ part, path }) =>
      checkLength(part.text, limit, `${path}.text`)
    )
  );
}

function findLongButtons(template: SubmittedTemplate): Issue[] {
  return findButtons(template).flatMap(({ part, path }) => [
    ...checkLength(part.text, longestOfButton.text, `${path}.text`),
    ...checkLength(part.url, longestOfButton.url, `${path}.url`),
    ...checkLength(part.phone_number, longestOfButton.phone_number, `${path}.phone_number`),
  ]);
}

/** Counts characters as people do: an emoji is one. */
function checkLength(text: string | undefined, limit: number, path: string): Issue[] {
  const length = [...(text ?? "")].length;
  if (length <= limit) return [];
  return [{ path, message: `must have at most ${limit} characters: it has ${length}` }];
}
