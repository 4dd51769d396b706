/** Where the reference can be read when this function cannot show it as a page. */
export interface ReferenceLink {
  /** The published page; null where the project has none. */
  readonly referenceUrl: string | null;
  /** A path alone where the project's public address is not known. */
  readonly documentUrl: string;
  readonly message: string;
}

/** What the composition root knows of the place. */
export interface ReferencePlace {
  /** `API_REFERENCE_URL`: where the page is published. */
  readonly referenceUrl: string | undefined;
  /** `SUPABASE_URL`: set by the platform. */
  readonly projectUrl: string | undefined;
}

const ownPath = "/functions/v1/api-docs";
const documentPath = `${ownPath}/openapi.json`;

/**
 * The link to answer with, or undefined where the page itself is served. Supabase turns HTML into
 * plain text on the project's default domain, and shows it on a custom one: there
 * `API_REFERENCE_URL` is the address of this function.
 *
 * @throws {Error} naming the variable, when it is not an http address.
 */
export function readReferenceLink(
  { referenceUrl, projectUrl }: ReferencePlace,
): ReferenceLink | undefined {
  const isOwnPage = Boolean(referenceUrl) && readPath(referenceUrl ?? "") === ownPath;
  const hidesHtml = isOnDefaultDomain(projectUrl);
  if (isOwnPage || (!referenceUrl && !hidesHtml)) return undefined;
  return {
    referenceUrl: referenceUrl || null,
    documentUrl: hidesHtml ? new URL(documentPath, projectUrl).href : documentPath,
    message: referenceUrl
      ? "The reference is a page at referenceUrl; the OpenAPI document is at documentUrl."
      : "This platform shows no HTML. Open documentUrl in a viewer of OpenAPI documents, or " +
        "publish the reference page and set API_REFERENCE_URL.",
  };
}

function readPath(address: string): string {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new Error("API_REFERENCE_URL must be an http or https address.");
  }
  return new URL(address).pathname.replace(/\/$/, "");
}

function isOnDefaultDomain(projectUrl: string | undefined): boolean {
  return projectUrl !== undefined && URL.canParse(projectUrl) &&
    new URL(projectUrl).hostname.endsWith(".supabase.co");
}
