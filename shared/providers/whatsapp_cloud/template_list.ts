/**
 * The templates of a WhatsApp Business account (page Template management, GET
 * /{version}/{WABA id}/message_templates).
 */
import { isNumbered, listPlaceholders } from "../../model/placeholders.ts";
import { isSuccess, toFailureReceipt } from "../classification.ts";
import { getJson, type HttpResult } from "../http/call.ts";
import { readText, readValue } from "../../model/json_value.ts";
import type { Receipt } from "../provider.ts";
import { createRedactor } from "../http/redaction.ts";
import { readWhatsappCloudAnswer } from "./answer.ts";
import type { ListedTemplate, ListingOptions, TemplateListing } from "../template_listing.ts";
import { listSecrets } from "../stored_config.ts";
import { type WhatsappCloudConfig, whatsappCloudSecretFields } from "./config.ts";
import { graphPath, graphUrl } from "./graph.ts";

const FIELDS = "id,name,language,status,category,parameter_format,components";

/**
 * 100 pages of 100 leave a margin: an account has at most 6,000 templates (page Templates
 * overview).
 */
const PAGE_SIZE = 100;
const MAX_PAGES = 100;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Reads every page, by cursor and at the configured address. Uses the `next` URL of an answer only
 * as a sign of one more page, because that URL may lead to any host.
 */
export async function listWhatsappCloudTemplates(
  config: WhatsappCloudConfig,
  { timeoutMs, totalTimeoutMs }: ListingOptions,
): Promise<TemplateListing> {
  const { wabaId } = config;
  if (wabaId === undefined) return withoutAccount;
  const endsAtMs = performance.now() + totalTimeoutMs;
  const templates = new Map<string, ListedTemplate>();
  let after: string | undefined;
  for (let pageCount = 0; pageCount < MAX_PAGES; pageCount++) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) return fail("timed_out", "Reading the provider's list took too long.");
    const result = await requestPage({ ...config, wabaId }, after, Math.min(timeoutMs, leftMs));
    const page = readPage(result, config);
    if (page.outcome === "failed") return page;
    for (const template of page.templates) templates.set(template.providerTemplateId, template);
    if (page.next === undefined) return { outcome: "listed", templates: [...templates.values()] };
    if (page.next === after) return fail("malformed_answer", "The provider's pages repeat.");
    after = page.next;
  }
  return fail("too_many_templates", `The provider lists more than ${MAX_PAGES} pages.`);
}

const withoutAccount: TemplateListing = {
  outcome: "not_configured",
  message: "The instance's providerConfig has no wabaId, from which templates are read.",
};

function requestPage(
  config: WhatsappCloudConfig & { readonly wabaId: string },
  after: string | undefined,
  timeoutMs: number,
): Promise<HttpResult> {
  const path = graphPath(config, config.wabaId, "message_templates");
  const query = new URLSearchParams({ fields: FIELDS, limit: String(PAGE_SIZE) });
  if (after !== undefined) query.set("after", after);
  return getJson({
    url: `${graphUrl(config, path)}?${query}`,
    headers: { authorization: `Bearer ${config.accessToken}` },
    timeoutMs,
    maxAnswerBytes: MAX_PAGE_BYTES,
  });
}

type Page =
  | {
    readonly outcome: "listed";
    readonly templates: readonly ListedTemplate[];
    readonly next: string | undefined;
  }
  | Extract<TemplateListing, { readonly outcome: "failed" }>;

function readPage(result: HttpResult, config: WhatsappCloudConfig): Page {
  if (result.outcome !== "answered") return describeFailure(toFailureReceipt(result));
  const data = readValue(result.json, "data");
  const isRefusal = !isSuccess(result) || readValue(result.json, "error") !== undefined;
  if (isRefusal) {
    const redact = createRedactor(listSecrets(config, whatsappCloudSecretFields), null);
    return describeFailure(readWhatsappCloudAnswer(result, { nowMs: Date.now(), redact }));
  }
  if (!Array.isArray(data)) {
    return fail("malformed_answer", "The provider's response is not a list of templates.");
  }
  const next = readText(result.json, "paging", "next") === undefined
    ? undefined
    : readText(result.json, "paging", "cursors", "after") ?? "";
  if (next === "") return fail("malformed_answer", "The provider's page has no cursor.");
  const templates = data.map(readTemplate);
  if (templates.includes(undefined)) {
    return fail("malformed_answer", "A template of the provider lacks its id, name or language.");
  }
  return { outcome: "listed", templates: templates.filter((one) => one !== undefined), next };
}

function readTemplate(json: unknown): ListedTemplate | undefined {
  const providerTemplateId = readText(json, "id");
  const name = readText(json, "name");
  const language = readText(json, "language");
  if (providerTemplateId === undefined || name === undefined || language === undefined) {
    return undefined;
  }
  const stored = readValue(json, "components");
  const components = Array.isArray(stored) ? withoutSampleFiles(stored) : [];
  return {
    providerTemplateId,
    name,
    language,
    parameterFormat: readParameterFormat(json, components),
    components,
    category: readText(json, "category")?.toUpperCase() ?? null,
    providerStatus: readText(json, "status") ?? "UNKNOWN",
  };
}

/**
 * Removes sample files. They are signed URLs that differ in each answer, so every template would
 * look changed.
 */
function withoutSampleFiles(components: readonly unknown[]): unknown[] {
  return JSON.parse(
    JSON.stringify(components, (key, value) => key === "header_handle" ? undefined : value),
  );
}

/**
 * The provider's format, else the format that the wording implies: API versions before named
 * variables do not send it.
 */
function readParameterFormat(
  json: unknown,
  components: readonly unknown[],
): ListedTemplate["parameterFormat"] {
  const format = readText(json, "parameter_format")?.toUpperCase();
  if (format === "NAMED" || format === "POSITIONAL") return format;
  const names = components.flatMap((component) =>
    listPlaceholders(readText(component, "text") ?? "")
  );
  return names.some((name) => !isNumbered(name)) ? "NAMED" : "POSITIONAL";
}

function describeFailure(receipt: Receipt): Extract<TemplateListing, { outcome: "failed" }> {
  switch (receipt.outcome) {
    case "rejected":
      return fail(receipt.code, receipt.message);
    case "unknown":
      return fail(receipt.reason, "The provider's response is unusable.");
    case "accepted":
      return fail("malformed_answer", "The provider's response is not a list of templates.");
  }
}

function fail(code: string, message: string): Extract<TemplateListing, { outcome: "failed" }> {
  return { outcome: "failed", code, message };
}
