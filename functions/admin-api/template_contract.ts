import * as z from "zod";
import {
  componentTypes,
  headerFormats,
  parameterFormats,
  templateCategories,
} from "../../shared/model/filled_template.ts";
import { formSchema, looseObjectSchema } from "../../shared/model/bounded_fields.ts";
import type { Issue } from "../../shared/model/errors.ts";
import type { ChangeCheck, CrossCheck } from "../../shared/http/validate.ts";
import { idSchema, inOneLine, instanceIdSchema } from "../../shared/model/request_fields.ts";
import {
  describeStrayBraces,
  findStrayBraces,
  isNumbered,
  listPlaceholders,
} from "../../shared/model/placeholders.ts";
import { workspacePageSchema } from "./contract.ts";

/**
 * One component in the official channel's shape (Meta: Message templates, Components). Members that
 * only that channel reads are stored unchanged.
 */
const componentSchema = looseObjectSchema({
  type: z.enum(componentTypes),
  format: z.enum(headerFormats).optional(),
  text: z.string().min(1).max(1_024).optional(),
  buttons: z.array(looseObjectSchema({
    type: formSchema(/^[A-Z_]{1,50}$/, 50, "must look like QUICK_REPLY"),
    text: z.string().min(1).max(200).optional(),
    url: z.string().min(1).max(2_000).optional(),
    phone_number: z.string().min(1).max(20).optional(),
  })).min(1).max(10).optional(),
  example: looseObjectSchema({}).optional(),
});

type Component = z.infer<typeof componentSchema>;

const componentsSchema = z.array(componentSchema).min(1).max(4);
const templateNameSchema = inOneLine(z.string().trim().min(1).max(512));
const languageSchema = formSchema(
  /^[A-Za-z]{2,3}([_-][A-Za-z]{2,4})?$/,
  8,
  "must look like pt_BR",
);
const parameterFormatSchema = z.enum(parameterFormats);
const categorySchema = z.enum(templateCategories);
const providerStatusSchema = formSchema(/^[A-Z_]{1,50}$/, 50, "must look like APPROVED");
const providerTemplateIdSchema = inOneLine(z.string().trim().min(1).max(200));

/** GET admin-api/templates. */
export const templatePageSchema = workspacePageSchema.extend({
  instanceId: instanceIdSchema.optional(),
});

/** POST admin-api/templates. */
export const createTemplateSchema = z.object({
  workspaceId: idSchema.optional(),
  instanceId: instanceIdSchema.nullish(),
  name: templateNameSchema,
  language: languageSchema,
  parameterFormat: parameterFormatSchema,
  components: componentsSchema,
  category: categorySchema.nullish(),
  providerStatus: providerStatusSchema.nullish(),
  providerTemplateId: providerTemplateIdSchema.nullish(),
  submit: z.boolean().optional(),
});

/** POST admin-api/templates/:id/submit, and DELETE admin-api/templates/:id. */
export const templateAccountSchema = z.object({ instanceId: instanceIdSchema.optional() });

/** PATCH admin-api/templates/:id. */
export const updateTemplateSchema = z.object({
  name: templateNameSchema.optional(),
  language: languageSchema.optional(),
  parameterFormat: parameterFormatSchema.optional(),
  components: componentsSchema.optional(),
  category: categorySchema.nullish(),
  providerStatus: providerStatusSchema.nullish(),
  providerTemplateId: providerTemplateIdSchema.nullish(),
});

/**
 * Checks that a template names a workspace or an instance, and that its components fit together.
 */
export const checkNewTemplate: CrossCheck = (template) => {
  const hasOwner = [template["workspaceId"], template["instanceId"]]
    .some((id) => id !== undefined && id !== null);
  const issues = [...checkTemplateComponents(template), ...checkSubmission(template)];
  if (hasOwner) return issues;
  return [{ path: "workspaceId", message: "is required without instanceId" }, ...issues];
};

/** A template is submitted for an instance, and its provider says what it is there. */
const checkSubmission: CrossCheck = ({ submit, ...template }) => {
  if (submit !== true) return [];
  const told = ["providerStatus", "providerTemplateId"].filter((field) =>
    (template[field] ?? null) !== null
  );
  return [
    ...(template["instanceId"] ?? null) === null
      ? [{ path: "instanceId", message: "is required to submit the template" }]
      : [],
    ...told.map((path) => ({
      path,
      message: "must not be given with submit: the provider tells it",
    })),
  ];
};

/** Checks the changed template, where a change affects the components. */
export const checkChangedTemplate: ChangeCheck = (changes, stored) => {
  const affectsComponents = changes["components"] !== undefined ||
    changes["parameterFormat"] !== undefined;
  return affectsComponents ? checkTemplateComponents({ ...stored, ...changes }) : [];
};

/** Requires one body, no duplicate types and the required members of each type. */
const checkTemplateComponents: CrossCheck = ({ components, parameterFormat, category }) => {
  const parsed = componentsSchema.safeParse(components);
  if (!parsed.success) return [];
  const types = parsed.data.map(({ type }) => type);
  const issues = parsed.data.flatMap((component, index) => {
    const path = `components.${index}`;
    const isDuplicate = types.indexOf(component.type) !== index;
    return isDuplicate
      ? [{ path: `${path}.type`, message: `must be unique: there is another ${component.type}` }]
      : checkComponent(component, path, category === "AUTHENTICATION");
  });
  issues.push(...parsed.data.flatMap(checkBraces));
  issues.push(...checkPlaceholders(parsed.data, parameterFormat));
  if (types.includes("BODY")) return issues;
  return [{ path: "components", message: "must contain a BODY" }, ...issues];
};

/** Texts that are sent as they are must have no variables; the others only such as can be filled. */
function checkBraces({ type, text = "", buttons = [] }: Component, index: number): Issue[] {
  const path = `components.${index}`;
  const isStatic = type === "FOOTER";
  return [
    ...checkVariables(text, `${path}.text`, isStatic),
    ...buttons.flatMap((button, place) => [
      ...checkVariables(button.text ?? "", `${path}.buttons.${place}.text`, true),
      ...checkVariables(button.url ?? "", `${path}.buttons.${place}.url`, false),
      ...checkVariables(button.phone_number ?? "", `${path}.buttons.${place}.phone_number`, true),
    ]),
  ];
}

function checkVariables(text: string, path: string, isStatic: boolean): Issue[] {
  if (isStatic && text.includes("{{")) return [{ path, message: "must not have variables" }];
  const stray = findStrayBraces(text);
  return stray === null ? [] : [{ path, message: describeStrayBraces(stray) }];
}

/**
 * Requires one variable format in all texts (specification, section 2). Button URLs are always
 * numbered. A header may be numbered too; its variable is called `header` (section 4.7).
 */
function checkPlaceholders(components: readonly Component[], format: unknown): Issue[] {
  const placeholders = components.flatMap(({ type, text }, index) =>
    type === "HEADER" || type === "BODY"
      ? listPlaceholders(text ?? "").filter((name) => type === "BODY" || name !== "1")
        .map((name) => ({ index, isNumber: isNumbered(name) }))
      : []
  );
  const isPositional = format === "POSITIONAL" || (format !== "NAMED" && placeholders[0]?.isNumber);
  const wrong = new Set(
    placeholders.filter((placeholder) => placeholder.isNumber !== isPositional).map((p) => p.index),
  );
  return [...wrong].map((index) => ({
    path: `components.${index}.text`,
    message: isPositional
      ? "must not mix named placeholders with numbered ones"
      : "must not mix numbered placeholders with named ones",
  }));
}

/** The channel writes the texts of codes itself. */
function checkComponent(component: Component, path: string, isCode: boolean): Issue[] {
  const needed = neededMember(component);
  if (needed === null || (isCode && needed === "text") || component[needed] !== undefined) {
    return [];
  }
  return [{ path: `${path}.${needed}`, message: `is required for ${component.type}` }];
}

function neededMember({ type, format }: Component): "format" | "text" | "buttons" | null {
  if (type === "BUTTONS") return "buttons";
  if (type !== "HEADER") return "text";
  if (format === undefined) return "format";
  return format === "TEXT" ? "text" : null;
}
