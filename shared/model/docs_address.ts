/**
 * Where the documentation of the API is read: the folder of `errors.md` and `versions.md`. Each
 * `index.ts` sets it from its environment; it is the same for all functions of a process.
 */

/** Of the local stack, which serves both pages itself. */
let docsUrl = "http://127.0.0.1:54321/functions/v1/api-docs";

/** @param url without a trailing slash. */
export function setDocsUrl(url: string): void {
  docsUrl = url;
}

/** The anchor of a code's section: the code, with a dash in the place of each blank. */
export function codeAnchor(code: string): string {
  return code.replaceAll(" ", "-");
}

/** The absolute URL of the section of an error's code (`docs` in its body). */
export function errorDocsUrl(code: string): string {
  return `${docsUrl}/errors.md#${codeAnchor(code)}`;
}

/** The absolute URL of the page of versions: what is to go, and when. */
export function versionDocsUrl(): string {
  return `${docsUrl}/versions.md`;
}
