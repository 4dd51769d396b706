import type { HeaderMedia, MediaFormat } from "../model/filled_template.ts";
import type { Issue } from "../model/errors.ts";
import { checkMediaUrl, lowerScheme, mediaExtensionOf } from "../model/media_url.ts";

/** The file that `variables.header` names; `missing` if it names none. */
export type HeaderMediaReading =
  | { readonly outcome: "read"; readonly media: HeaderMedia }
  | { readonly outcome: "missing" }
  | { readonly outcome: "refused"; readonly issues: readonly Issue[] };

/** The message type whose URL rules apply to a format, and the file types that fit it. */
const linkRules = {
  IMAGE: { messageType: "image", extensions: ["jpg", "jpeg", "png"] },
  VIDEO: { messageType: "document", extensions: ["mp4"] },
  DOCUMENT: { messageType: "document", extensions: ["pdf"] },
} as const satisfies Record<MediaFormat, object>;

const mediaIdPattern = /^[\x21-\x7e]{1,200}$/;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads a public file URL, an object with `id` and `link` (specification 4.7), or one with the `mediaId` of a
 * file of ours.
 */
export function readHeaderMedia(value: unknown, format: MediaFormat): HeaderMediaReading {
  if (isAbsent(value)) return { outcome: "missing" };
  if (typeof value === "string") return readSources({ link: value }, format, "variables.header");
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const { id, link, mediaId } = value as { id?: unknown; link?: unknown; mediaId?: unknown };
    if (!isAbsent(mediaId)) return readOwnFile(mediaId, [id, link]);
    return readSources({ id, link }, format, "variables.header.link");
  }
  return refuse(
    "variables.header",
    "must be a public file URL, or an object with id, link or mediaId",
  );
}

function readOwnFile(mediaId: unknown, others: readonly unknown[]): HeaderMediaReading {
  if (others.some((other) => !isAbsent(other))) {
    return refuse("variables.header.mediaId", "must not be given beside id or link");
  }
  return typeof mediaId === "string" && uuidPattern.test(mediaId)
    ? { outcome: "read", media: { mediaId: mediaId.toLowerCase() } }
    : refuse("variables.header.mediaId", "must be a UUID");
}

function readSources(
  sources: { readonly id?: unknown; readonly link?: unknown },
  format: MediaFormat,
  linkPath: string,
): HeaderMediaReading {
  const id = isAbsent(sources.id) ? undefined : readScalar(sources.id);
  const link = isAbsent(sources.link) ? undefined : lowerScheme(readScalar(sources.link));
  if (id !== undefined && !mediaIdPattern.test(id)) {
    return refuse("variables.header.id", "must be the id of an uploaded file");
  }
  if (id !== undefined && uuidPattern.test(id)) {
    const message = "is no id of the channel: give the id of a file of this service as mediaId";
    return refuse("variables.header.id", message);
  }
  const problem = link === undefined ? null : findLinkProblem(link, format);
  if (problem !== null) return refuse(linkPath, problem);
  if (id !== undefined) return { outcome: "read", media: { id, link } };
  return link === undefined ? { outcome: "missing" } : { outcome: "read", media: { link } };
}

/** A text or a number as text. Anything else is empty, which is neither an id nor a link. */
function readScalar(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function findLinkProblem(link: string, format: MediaFormat): string | null {
  const { messageType, extensions } = linkRules[format];
  const issue = checkMediaUrl(link, messageType);
  const extension = mediaExtensionOf(link);
  const isFitting = extension === null || extensions.some((known) => known === extension);
  if (issue !== null && isFitting) return issue.message.replace("mediaUrl", "The URL");
  if (issue === null && isFitting) return null;
  return `must be a file for a header of format ${format}: ${extensions.join(", ")}`;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null ||
    typeof value === "string" && value.trim() === "";
}

function refuse(path: string, message: string): HeaderMediaReading {
  return { outcome: "refused", issues: [{ path, message }] };
}

/** The extensions of the files that fit a header of this format. */
export function headerFileRule(format: MediaFormat): readonly string[] {
  return linkRules[format].extensions;
}

/** The id of the file of ours that variables name for a header; null for none. */
export function readHeaderMediaId(variables: Readonly<Record<string, unknown>>): string | null {
  const { header } = variables;
  if (typeof header !== "object" || header === null) return null;
  const { mediaId } = header as { mediaId?: unknown };
  return typeof mediaId === "string" && uuidPattern.test(mediaId) ? mediaId.toLowerCase() : null;
}
