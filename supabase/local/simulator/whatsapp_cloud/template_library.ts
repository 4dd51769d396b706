import { anyAccount } from "./events.ts";
import { sampleTemplates } from "./sample_templates.ts";
import type { SimulatedTemplateRecord } from "./template_record.ts";

/** How many templates Meta allows an account, and how many of all accounts are kept here. */
export const accountLimit = 250;
const createdCapacity = 6_000;

const dayMs = 86_400_000;

/** How long Meta keeps the name of a deleted template. */
const blockedNameMs = 30 * dayMs;

/** What a review, an edit or a rating has changed. */
type TemplateChange = Partial<Omit<SimulatedTemplateRecord, "id" | "name" | "language">>;

/**
 * The templates of the WhatsApp Business accounts. Every account has the samples and the templates
 * created in it. The library does not know which number belongs to which account, so a number may
 * send the templates of all.
 */
export class TemplateLibrary {
  #created: { readonly wabaId: string; readonly template: SimulatedTemplateRecord }[] = [];
  /** What has changed since, by template id. */
  readonly #changes = new Map<string, TemplateChange>();
  /** When it was deleted, by template id. */
  readonly #deletions = new Map<string, number>();
  /** When approved templates were edited, by template id. */
  readonly #edits = new Map<string, number[]>();
  #lastId = 2_000_000_000_000_000;

  constructor(private readonly now: () => number = Date.now) {}

  /** The templates of an account: the samples, then its own in order of creation. */
  list(wabaId: string): SimulatedTemplateRecord[] {
    return this.#listLiving().filter(({ id }) => this.#accountOf(id, wabaId) === wabaId);
  }

  /** The account that a template belongs to. */
  accountOf(templateId: string): string {
    return this.#accountOf(templateId, anyAccount);
  }

  /**
   * Adds a template that awaits its review.
   *
   * @returns why not: the account already has this name in this language, or had it until lately.
   */
  create(
    wabaId: string,
    fields: Omit<SimulatedTemplateRecord, "id" | "status">,
  ): SimulatedTemplateRecord | "exists" | "deleted" | "full" {
    if (this.list(wabaId).some((known) => isSame(known, fields))) return "exists";
    if (this.#wasDeleted(wabaId, fields)) return "deleted";
    if (this.list(wabaId).length >= accountLimit) return "full";
    const template = { ...fields, id: String(++this.#lastId), status: "PENDING" } as const;
    this.#created.push({ wabaId, template });
    if (this.#created.length > createdCapacity) {
      const oldest = this.#created.shift()?.template.id ?? "";
      for (const known of [this.#changes, this.#deletions, this.#edits]) known.delete(oldest);
    }
    return template;
  }

  /** Changes a template as Meta does. @returns undefined for an unknown template. */
  change(templateId: string, change: TemplateChange): SimulatedTemplateRecord | undefined {
    const template = this.get(templateId);
    if (template === undefined) return undefined;
    this.#changes.set(templateId, { ...this.#changes.get(templateId), ...change });
    return this.get(templateId);
  }

  /**
   * Edits a template as its owner does: an approved one once in 24 hours and ten times in 30 days, which
   * stays approved; a rejected or paused one at any time, which is reviewed again.
   *
   * @returns why not.
   */
  edit(
    templateId: string,
    change: TemplateChange,
  ): SimulatedTemplateRecord | "unknown" | "not_editable" | "category_fixed" | "too_often" {
    const template = this.get(templateId);
    if (template === undefined) return "unknown";
    const { status, category } = template;
    if (status === "APPROVED") {
      if ((change.category ?? category) !== category) return "category_fixed";
      const nowMs = this.now();
      const edits = (this.#edits.get(templateId) ?? []).filter((at) => nowMs - at < 30 * dayMs);
      const isTooSoon = edits.some((at) => nowMs - at < dayMs);
      if (isTooSoon || edits.length >= 10) return "too_often";
      this.#edits.set(templateId, [...edits, nowMs]);
    } else if (status !== "REJECTED" && status !== "PAUSED") return "not_editable";
    const next = status === "APPROVED"
      ? {}
      : { status: "PENDING", rejected_reason: "NONE" } as const;
    return this.change(templateId, { ...change, ...next }) ?? "unknown";
  }

  /** Deletes an account's templates of a name, or the one with the id. @returns how many. */
  remove(wabaId: string, name: string, templateId: string | null): number {
    const found = this.list(wabaId).filter((template) =>
      template.name === name && (templateId === null || template.id === templateId)
    );
    for (const { id } of found) this.#deletions.set(id, this.now());
    return found.length;
  }

  /** The templates of all accounts, each once. */
  listAll(): SimulatedTemplateRecord[] {
    return this.#listLiving();
  }

  get(templateId: string): SimulatedTemplateRecord | undefined {
    return this.#listLiving().find(({ id }) => id === templateId);
  }

  /** The templates with this name and language, in all accounts. */
  find(name: string, language: string): SimulatedTemplateRecord[] {
    return this.#listLiving().filter((template) => isSame(template, { name, language }));
  }

  #accountOf(templateId: string, ofSamples: string): string {
    return this.#created.find(({ template }) => template.id === templateId)?.wabaId ?? ofSamples;
  }

  #wasDeleted(wabaId: string, fields: NamedTemplate): boolean {
    return this.#listEver().some((template) =>
      isSame(template, fields) && this.#accountOf(template.id, wabaId) === wabaId &&
      this.now() - (this.#deletions.get(template.id) ?? -Infinity) < blockedNameMs
    );
  }

  #listLiving(): SimulatedTemplateRecord[] {
    return this.#listEver().filter(({ id }) => !this.#deletions.has(id))
      .map((template) => ({ ...template, ...this.#changes.get(template.id) }));
  }

  #listEver(): SimulatedTemplateRecord[] {
    return [...sampleTemplates, ...this.#created.map(({ template }) => template)];
  }
}

interface NamedTemplate {
  readonly name: string;
  readonly language: string;
}

function isSame(template: NamedTemplate, { name, language }: NamedTemplate): boolean {
  return template.name === name && template.language === language;
}
