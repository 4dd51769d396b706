import * as z from "zod";
import { hasSameWording } from "../../functions/admin-api/template_wording.ts";
import { toVisibleJson } from "../../shared/model/visible_text.ts";
import { AdminApiError } from "./admin_api.ts";
import { languageCode, plainName, toFileName } from "./file_name.ts";

/** A template as a file holds it: what a person writes, and nothing that a provider tells. */
export interface TemplateFile {
  readonly name: string;
  readonly language: string;
  readonly category: string | null;
  readonly parameterFormat: string;
  readonly components: readonly unknown[];
}

const fileSchema = z.object({
  name: z.string(),
  language: z.string(),
  category: z.string().nullable().default(null),
  parameterFormat: z.string().default("POSITIONAL"),
  components: z.array(z.unknown()),
});

/** A stored template, as the API lists it. */
const storedSchema = fileSchema.extend({
  templateId: z.string(),
  providerStatus: z.string().nullable(),
  providerTemplateId: z.string().nullable(),
});

export type StoredTemplateFile = z.infer<typeof storedSchema>;

/**
 * The templates of a list that are not deleted, without drafts of what is submitted.
 *
 * @throws {AdminApiError} for another answer.
 */
export function readStored(items: readonly unknown[]): StoredTemplateFile[] {
  const { success, data } = z.array(storedSchema).safeParse(items);
  if (!success) throw new AdminApiError("The answer is no list of templates.");
  const living = data.filter(({ providerStatus }) => providerStatus !== "DELETED");
  const submitted = living.filter(({ providerTemplateId }) => providerTemplateId !== null);
  return living.filter((template) =>
    template.providerTemplateId !== null || !submitted.some((other) => isSameName(other, template))
  );
}

/** The part of a template that its file holds. */
export function toFile(template: unknown): TemplateFile {
  return fileSchema.parse(template);
}

/** The name of a template's file: `pedido_enviado.pt_BR.json`. The channel's lists hold any name. */
export function nameFile({ name, language }: TemplateFile): string {
  return toFileName(
    [{ text: name, plain: plainName }, { text: language, plain: languageCode }],
    "json",
  );
}

/** The text of a template's file. Its members come in one order, so that git shows what has changed. */
export function writeFileText(template: TemplateFile): string {
  const { name, language, category, parameterFormat, components } = template;
  return `${toVisibleJson({ name, language, category, parameterFormat, components }, 2)}\n`;
}

/** What a push would do with a file. */
export interface PlannedPush {
  readonly file: TemplateFile;
  readonly action: "create" | "submit" | "edit" | "none";
  readonly stored: StoredTemplateFile | undefined;
  /** The differences, one a line. */
  readonly differences: readonly string[];
}

/** Compares files with what is stored, by name and language. Samples of files do not count. */
export function planPush(
  files: readonly TemplateFile[],
  stored: readonly StoredTemplateFile[],
): PlannedPush[] {
  return files.map((file) => {
    const known = stored.find((template) => isSameName(template, file));
    if (known === undefined) return { file, action: "create", stored: undefined, differences: [] };
    const isSame = hasSameWording(file.components, known.components) &&
      file.parameterFormat === known.parameterFormat &&
      (file.category === null || file.category === known.category);
    const action = known.providerTemplateId === null ? "submit" : isSame ? "none" : "edit";
    const differences = isSame ? [] : listDifferences(toFile(known), file);
    return { file, action, stored: known, differences };
  });
}

function isSameName(
  { name, language }: TemplateFile,
  other: TemplateFile,
): boolean {
  return name === other.name && language === other.language;
}

/** Whether a push would do nothing with a file of this content. */
export function isStored(content: unknown, stored: readonly StoredTemplateFile[]): boolean {
  const { success, data } = fileSchema.safeParse(content);
  return success && planPush([data], stored)[0]?.action === "none";
}

/** `components.0.text: "Olá" -> "Oi"`: each place where two values differ. */
export function listDifferences(former: unknown, next: unknown, path = ""): string[] {
  if (!isBranch(former) || !isBranch(next)) {
    if (JSON.stringify(former) === JSON.stringify(next)) return [];
    return [`${path}: ${describeValue(former)} -> ${describeValue(next)}`];
  }
  const keys = [...new Set([...Object.keys(former), ...Object.keys(next)])]
    .filter((key) => key !== "example");
  return keys.flatMap((key) =>
    listDifferences(former[key], next[key], path === "" ? key : `${path}.${key}`)
  );
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function describeValue(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
