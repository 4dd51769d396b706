import type { StoredLadder, StoredRung } from "../database/rpcs/messages.ts";
import type { ContactFacts, StoredTemplate } from "../database/rpcs/templates.ts";
import { AppError } from "../model/errors.ts";
import type { Instance } from "../model/instance.ts";
import { type MessageContent, toStoredContent } from "../model/message_content.ts";
import {
  fillMessagePlaceholder,
  listLadderTemplates,
  listLadderVariables,
  type OutsideWindow,
} from "../model/outside_window.ts";
import { purposeOfTemplate } from "../model/purpose.ts";
import type { Recipient } from "../model/request_fields.ts";
import type { Provider } from "../providers/provider.ts";
import { officialLimits } from "../providers/content_limits.ts";
import { checkTemplateOwner, fillStoredTemplate, findIgnoredOfTemplate } from "./ready_template.ts";
import type { NoteIgnored } from "../templates/variable_keys.ts";
import { findHeaderFiles, type HeaderFiles, type HeaderFileServices } from "./header_files.ts";
import { toTemplateDraft } from "./template_draft.ts";

/** The templates that a ladder names, as the instance knows them. */
export interface LadderTemplates {
  readonly templates: readonly (StoredTemplate | null)[];
}

/** A ladder as it is stored with its message, and the files of the headers that it may send. */
export interface PreparedLadder {
  readonly ladder: StoredLadder;
  readonly headerFiles: HeaderFiles;
}

/**
 * Reads the templates of a ladder and fills them for the contact. A channel without a window needs none: its
 * messages go as they are. Undefined where the call has no ladder.
 *
 * @throws {AppError} `Template not found`, `Template does not belong to this instance`, `template_ambiguous`.
 */
export async function prepareLadder(
  services: HeaderFileServices,
  channel: { readonly instance: Instance; readonly provider: Provider },
  outsideWindow: OutsideWindow | undefined,
  { content, noteIgnored, ...recipient }: Recipient & {
    readonly content: MessageContent;
    readonly noteIgnored: NoteIgnored;
  },
): Promise<PreparedLadder | undefined> {
  if (outsideWindow === undefined) return undefined;
  const { instance } = channel;
  if (instance.providerClass !== "official") return { ladder: noRungs, headerFiles: new Map() };
  const named = listLadderTemplates(outsideWindow);
  const found = named.length === 0
    ? { templates: [], contact: null }
    : await services.database.rpc("find_ladder_templates", {
      instanceId: instance.instanceId,
      templates: named,
      ...recipient,
    });
  noteIgnored(findIgnoredOfLadder(outsideWindow, found));
  const contact = found.contact ?? { name: null, phone: recipient.phone ?? null };
  const headerFiles = await findHeaderFiles(
    services,
    instance.instanceId,
    listLadderVariables(outsideWindow),
  );
  const ladder = fillLadder({ ...channel, headerFiles }, outsideWindow, found, {
    content,
    contact,
  });
  return { ladder, headerFiles };
}

const noRungs: StoredLadder = { rungs: [], shown: {} };

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
  { instance, provider, headerFiles }: {
    readonly instance: Instance;
    readonly provider: Provider;
    readonly headerFiles: HeaderFiles;
  },
  outsideWindow: OutsideWindow,
  { templates }: LadderTemplates,
  { content, contact }: { readonly content: MessageContent; readonly contact: ContactFacts },
): StoredLadder {
  if (instance.providerClass !== "official") return noRungs;
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
      // The template goes in the message's place, whose payment it asks for; an invitation asks for none.
      const own = content.messageType === "payment_request" && asked.template !== undefined
        ? content.payment
        : undefined;
      const filled = fillStoredTemplate(template, values, contact, own);
      if (filled.payment !== own && filled.payment !== undefined) {
        return { ...rung, ...unsupportedContent };
      }
      const draft = toTemplateDraft({ template, instance }, provider, filled, headerFiles);
      const stored = toStoredContent({ message: draft.historyText, ...draft.content });
      const { mediaId } = draft;
      return { ...rung, message: stored.message, content: stored.content, mediaId };
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
