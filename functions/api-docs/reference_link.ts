import { servesHtml } from "../../shared/runtime/html_hosting.ts";

/** Links to the reference, for a platform on which this function cannot serve the page. */
export interface ReferenceLink {
  /** The published page; null where the project has none. */
  readonly referenceUrl: string | null;
  /** Only a path where the project's public address is unknown. */
  readonly documentUrl: string;
  readonly message: string;
}

/** The environment's addresses, from the composition root. */
export interface ReferenceAddresses {
  /** `API_REFERENCE_URL`: the address of the published page. */
  readonly referenceUrl: string | undefined;
  /** `SUPABASE_URL`: set by the platform. */
  readonly projectUrl: string | undefined;
}

const ownPath = "/functions/v1/api-docs";
const documentPath = `${ownPath}/openapi.json`;

/**
 * Returns the links to respond with, or undefined where the function serves the page itself.
 * See `servesHtml`. On a custom domain `API_REFERENCE_URL` is the address of this function.
 *
 * @throws {Error} that names the variable, when its value is not an http address.
 */
export function readReferenceLink(
  { referenceUrl, projectUrl }: ReferenceAddresses,
): ReferenceLink | undefined {
  const isOwnPage = Boolean(referenceUrl) && readPath(referenceUrl ?? "") === ownPath;
  const hidesHtml = !servesHtml(projectUrl);
  if (isOwnPage || (!referenceUrl && !hidesHtml)) return undefined;
  return {
    referenceUrl: referenceUrl || null,
    documentUrl: hidesHtml ? new URL(documentPath, projectUrl).href : documentPath,
    message: referenceUrl
      ? "The reference page is at referenceUrl; the OpenAPI document is at documentUrl."
      : "This platform does not serve HTML. Open documentUrl in an OpenAPI viewer, or " +
        "publish the reference page and set API_REFERENCE_URL.",
  };
}

function readPath(address: string): string {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new Error("API_REFERENCE_URL must be an http or https address.");
  }
  return new URL(address).pathname.replace(/\/$/, "");
}
