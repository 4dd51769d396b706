/** Creates, edits and deletes templates of a WhatsApp Business account (page Template management). */
import { readId, readText, readValue } from "../../model/json_value.ts";
import { callJson, type HttpResult, postJson } from "../http/call.ts";
import type { TemplateAccount, TemplateSubmission } from "../template_account.ts";
import type { AccountOptions } from "../template_listing.ts";
import type { WhatsappCloudConfig } from "./config.ts";
import { graphNodePath, graphPath, graphUrl } from "./graph.ts";
import { readTemplateFailure, unreadable } from "./template_calls.ts";
import { findWhatsappCloudTemplates } from "./template_list.ts";
import { uploadSample } from "./template_upload.ts";

const maxAnswerBytes = 256 * 1024;

/** Null for a configuration that names no account. */
export function openWhatsappCloudTemplates(
  config: WhatsappCloudConfig,
  options: AccountOptions,
): TemplateAccount | null {
  const { wabaId } = config;
  if (wabaId === undefined) return null;
  const headers = { authorization: `Bearer ${config.accessToken}` };
  const url = graphUrl(config, graphPath(config, wabaId, "message_templates"));
  const post = (to: string, body: unknown): Promise<HttpResult> =>
    postJson({ url: to, headers, body, ...options });
  return {
    hasApp: config.appId !== undefined,
    find: (name) => findWhatsappCloudTemplates({ ...config, wabaId }, name, options),
    async create(template): ReturnType<TemplateAccount["create"]> {
      const result = await post(url, toBody(template));
      const failure = readTemplateFailure(result, config);
      if (failure !== undefined || result.outcome !== "answered") return failure ?? unreadable;
      const providerTemplateId = readId(result.json, "id");
      if (providerTemplateId === undefined) return unreadable;
      return {
        outcome: "done",
        providerTemplateId,
        providerStatus: readText(result.json, "status") ?? null,
        category: readText(result.json, "category")?.toUpperCase() ?? null,
      };
    },
    async edit(id, { category, parameterFormat, components }): ReturnType<TemplateAccount["edit"]> {
      const to = graphUrl(config, graphNodePath(config, id));
      const body = { category, parameter_format: parameterFormat, components };
      return readDone(await post(to, body), config);
    },
    async remove({ name, providerTemplateId }): ReturnType<TemplateAccount["remove"]> {
      const query = new URLSearchParams({ name, hsm_id: providerTemplateId });
      const call = { url: `${url}?${query}`, headers, ...options, maxAnswerBytes };
      return readDone(await callJson("DELETE", call), config);
    },
    upload: (file) => uploadSample(config, file, options),
  };
}

function toBody(
  { name, language, category, parameterFormat, components }: TemplateSubmission,
): Record<string, unknown> {
  const isOrder = components.map((component) => readValue(component, "buttons")).some((buttons) =>
    Array.isArray(buttons) &&
    buttons.some((button) => readText(button, "type")?.toUpperCase() === "ORDER_DETAILS")
  );
  return {
    ...{ name, language, category, parameter_format: parameterFormat, components },
    // Page Order details templates: that the account is to show orders.
    ...(isOrder ? { display_format: "ORDER_DETAILS" } : {}),
  };
}

function readDone(
  result: HttpResult,
  config: WhatsappCloudConfig,
): { outcome: "done" } | NonNullable<ReturnType<typeof readTemplateFailure>> {
  const failure = readTemplateFailure(result, config);
  if (failure !== undefined || result.outcome !== "answered") return failure ?? unreadable;
  return readValue(result.json, "success") === true ? { outcome: "done" } : unreadable;
}
