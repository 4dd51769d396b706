/** Which texts of an answer the service has made, as the schema of its record says. */
import * as z from "zod";

const ownTexts = new WeakSet<z.ZodType>();
const ownSentences = new WeakSet<z.ZodType>();
/** Formats of texts that only the service makes: ids, instants and days. */
const ownFormats: ReadonlySet<unknown> = new Set(["uuid", "guid", "datetime", "date"]);

/** The schema of a text of the service, of this form: one that differs is somebody else's. */
export function ownText(pattern: RegExp): z.ZodString {
  const schema = z.string().regex(pattern);
  ownTexts.add(schema);
  return schema;
}

/** The schema of a sentence of the service. For refusals alone: records have none. */
export function ownSentence(): z.ZodString {
  const schema = z.string();
  ownSentences.add(schema);
  return schema;
}

/** A word of the service, such as a reason. No caller, person or provider chooses it. */
export const ownWord = ownText(/^[a-z][a-zA-Z0-9_]{0,63}$/);

/** Whether the service has made a text in the place of this schema: an enum, an id, an instant or its own form. */
export function isOwnText(schema: z.ZodType, text: string): boolean {
  const def = schema.def as { readonly type: string; readonly format?: unknown };
  const mayBeOwn = ownTexts.has(schema) || ["enum", "literal"].includes(def.type) ||
    ownFormats.has(def.format);
  return mayBeOwn && schema.safeParse(text).success;
}

/** Whether a text in the place of this schema is a sentence of the service. */
export function isOwnSentence(schema: z.ZodType): boolean {
  return ownSentences.has(schema);
}

/** What an optional, nullable or defaulted schema is made of. */
function unwrap(schema: z.ZodType): z.ZodType {
  const def = schema.def as { readonly innerType?: z.ZodType; readonly in?: z.ZodType };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrap(inner);
}

/** The schemas that a place may have: several of a union, none of what is not known. */
export function listForms(schemas: readonly z.ZodType[]): readonly z.ZodType[] {
  return schemas.map(unwrap).flatMap((schema) =>
    schema instanceof z.ZodUnion ? listForms(schema.options as z.ZodType[]) : [schema]
  );
}

/** The schemas of a member of such a place; null where no record has a member of this name. */
export function listMemberForms(
  forms: readonly z.ZodType[],
  name: string,
): readonly z.ZodType[] | null {
  const members = forms.flatMap((form) => {
    if (form instanceof z.ZodObject && Object.hasOwn(form.shape, name)) return [form.shape[name]];
    if (form instanceof z.ZodRecord && isOwnText(unwrap(form.keyType as z.ZodType), name)) {
      return [form.valueType];
    }
    return [];
  });
  return members.length === 0 ? null : listForms(members as z.ZodType[]);
}

/** The schemas of the items of a list in such a place. */
export function listItemForms(forms: readonly z.ZodType[]): readonly z.ZodType[] {
  return listForms(
    forms.flatMap((form) => form instanceof z.ZodArray ? [form.element as z.ZodType] : []),
  );
}
