import type { Database } from "../database/database.ts";
import type { StoredLadder, StoredRung } from "../database/rpcs/messages.ts";
import type { ContactFacts, StoredTemplate } from "../database/rpcs/templates.ts";
import { AppError } from "../model/errors.ts";
import type { Instance } from "../model/instance.ts";
import { type MessageContent, toStoredContent } from "../model/message_content.ts";
import {
  fillMessagePlaceholder,
  listLadderTemplates,
  type OutsideWindow,
} from "../model/outside_window.ts";
import { purposeOfTemplate } from "../model/purpose.ts";
import type { Recipient } from "../model/request_fields.ts";
import type { Provider } from "../providers/provider.ts";
import { officialLimits } from "../providers/content_limits.ts";
import { checkTemplateOwner, fillStoredTemplate, findIgnoredOfTemplate } from "./ready_template.ts";
import type { NoteIgnored } from "../templates/variable_keys.ts";
import { toTemplateDraft } from "./template_draft.ts";

/** The templates that a ladder names, as the instance knows them. */
export interface LadderTemplates {
  readonly templates: readonly (StoredTemplate | null)[];
}

/**
 * Reads the templates of a ladder and fills them for the contact. A channel without a window needs none: its
 * messages go as they are.
 *
 * @throws {AppError} `Template not found`, `Template does not belong to this instance`, `template_ambiguous`.
 */
export async function prepareLadder(
  database: Database,
  channel: { readonly instance: Instance; readonly provider: Provider },
  outsideWindow: OutsideWindow | undefined,
  { content, noteIgnored, ...recipient }: Recipient & {
    readonly content: MessageContent;
    readonly noteIgnored: NoteIgnored;
  },
): Promise<StoredLadder | undefined> {
  if (outsideWindow === undefined) return undefined;
  const { instance } = channel;
  if (instance.providerClass !== "official") return { rungs: [], shown: {} };
  const named = listLadderTemplates(outsideWindow);
  const found = named.length === 0
    ? { templates: [], contact: null }
    : await database.rpc("find_ladder_templates", {
      instanceId: instance.instanceId,
      templates: named,
      ...recipient,
    });
  noteIgnored(findIgnoredOfLadder(outsideWindow, found));
  const contact = found.contact ?? { name: null, phone: recipient.phone ?? null };
  return fillLadder(channel, outsideWindow, found, { content, contact });
}

/** The paths of variables in a ladder that their templates do not take. */
export function findIgnoredOfLadder(
  outsideWindow: OutsideWindow,
  { templates }: LadderTemplates,
): string[] {
  const unread = [...templates];
  return outsideWindow.flatMap((asked, place) => {
    if (asked.directSend !== undefined) return [];
    const template = unread.shift() ?? null;
    const name = asked.template === undefined ? "invite" : "template";
    return template === null ? [] : findIgnoredOfTemplate(
      template,
      asked[name]?.variables,
      `outsideWindow.${place}.${name}.variables`,
    );
  });
}

/**
 * A ladder with its templates filled, as it is stored with the message. Whether a rung can be taken is decided
 * when its turn comes; what can never be taken says so.
 *
 * @throws {AppError} as `prepareLadder`.
 */
export function fillLadder(
  { instance, provider }: { readonly instance: Instance; readonly provider: Provider },
  outsideWindow: OutsideWindow,
  { templates }: LadderTemplates,
  { content, contact }: { readonly content: MessageContent; readonly contact: ContactFacts },
): StoredLadder {
  if (instance.providerClass !== "official") return { rungs: [], shown: {} };
  const unread = [...templates];
  const rungs = outsideWindow.map((asked): StoredRung => {
    if (asked.directSend !== undefined) {
      return { rung: "directSend", ...(fitsDirectSend(content) ? {} : unsupportedContent) };
    }
    const template = checkTemplateOwner(unread.shift() ?? null, instance);
    const { variables = {} } = asked.template ?? asked.invite ?? {};
    const { templateId, name, category } = template;
    const purpose = purposeOfTemplate(category, undefined);
    const rung = {
      rung: asked.template === undefined ? "invite" : "template",
      templateId,
      name,
      purpose: purpose === "service" ? undefined : purpose,
    } as const;
    const text = "message" in content ? content.message ?? "" : "";
    try {
      const values = fillMessagePlaceholder(variables, text);
      if (values === null) return { ...rung, reason: "invalid_variables" };
      const filled = fillStoredTemplate(template, values, contact);
      const draft = toTemplateDraft({ template, instance }, provider, filled);
      const stored = toStoredContent({ message: draft.historyText, ...draft.content });
      return { ...rung, message: stored.message, content: stored.content };
    } catch (error) {
      return { ...rung, reason: readFillingFault(error) };
    }
  });
  return { rungs, shown: {} };
}

const unsupportedContent = { reason: "unsupported_content" } as const;

/** Direct Send takes a text, buttons and a link button, with a body as short as theirs. */
function fitsDirectSend(content: MessageContent): boolean {
  const { messageType } = content;
  const isTaken = messageType === "text" || messageType === "buttons" ||
    messageType === "link_button";
  return isTaken && [...content.message].length <= officialLimits.body;
}

/** @throws what is no fault of the template or its values. */
function readFillingFault(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return error.code === "missing_variables" ? "missing_variables" : "invalid_variables";
}
