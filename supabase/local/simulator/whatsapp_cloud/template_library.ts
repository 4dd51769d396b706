import { sampleTemplates } from "./sample_templates.ts";
import type { SimulatedTemplateRecord, TemplateStatus } from "./template_record.ts";

/** Maximum number of created templates, the newest: as many as Meta allows one account. */
const createdCapacity = 6_000;

/**
 * The templates of the WhatsApp Business accounts. Every account has the samples and the templates
 * created in it. The library does not know which number belongs to which account, so a number may
 * send the templates of all.
 */
export class TemplateLibrary {
  #created: { readonly wabaId: string; readonly template: SimulatedTemplateRecord }[] = [];
  /** The statuses that reviews have set, by template id. */
  readonly #reviews = new Map<string, TemplateStatus>();
  #lastId = 2_000_000_000_000_000;

  /** The templates of an account: the samples, then its own in order of creation. */
  list(wabaId: string): SimulatedTemplateRecord[] {
    const own = this.#created.filter((created) => created.wabaId === wabaId)
      .map(({ template }) => template);
    return [...sampleTemplates, ...own].map((template) => this.#withReview(template));
  }

  /**
   * Adds a template that awaits its review.
   *
   * @returns undefined if the account already has this name in this language.
   */
  create(
    wabaId: string,
    fields: Omit<SimulatedTemplateRecord, "id" | "status">,
  ): SimulatedTemplateRecord | undefined {
    if (this.list(wabaId).some((known) => isSame(known, fields))) return undefined;
    const template = { ...fields, id: String(++this.#lastId), status: "PENDING" } as const;
    this.#created.push({ wabaId, template });
    if (this.#created.length > createdCapacity) {
      const oldest = this.#created.shift();
      this.#reviews.delete(oldest?.template.id ?? "");
    }
    return template;
  }

  /** Sets the status of a template. @returns undefined for an unknown template. */
  review(templateId: string, status: TemplateStatus): SimulatedTemplateRecord | undefined {
    const template = this.#listAll().find(({ id }) => id === templateId);
    if (template === undefined) return undefined;
    this.#reviews.set(templateId, status);
    return this.#withReview(template);
  }

  /** The templates with this name and language, in all accounts. */
  find(name: string, language: string): SimulatedTemplateRecord[] {
    return this.#listAll().filter((template) => isSame(template, { name, language }))
      .map((template) => this.#withReview(template));
  }

  #listAll(): SimulatedTemplateRecord[] {
    return [...sampleTemplates, ...this.#created.map(({ template }) => template)];
  }

  #withReview(template: SimulatedTemplateRecord): SimulatedTemplateRecord {
    return { ...template, status: this.#reviews.get(template.id) ?? template.status };
  }
}

function isSame(
  template: SimulatedTemplateRecord,
  { name, language }: { readonly name: string; readonly language: string },
): boolean {
  return template.name === name && template.language === language;
}
