import {
  type FunctionsEnvironment,
  readFunctionsUrl,
  withoutTrailingSlash,
} from "./functions_url.ts";

/**
 * The folder of `errors.md` and `versions.md`, without a trailing slash: `DOCS_URL`, or the function
 * api-docs, which serves both. All functions of a process have the same environment.
 */
let docsUrl = `${readFunctionsUrl({})}/api-docs`;

/** Reads from the environment where the documentation is. Every composition root calls it first. */
export function placeDocs(
  environment: FunctionsEnvironment & { readonly DOCS_URL?: string | undefined },
): void {
  docsUrl = withoutTrailingSlash(
    environment.DOCS_URL || `${readFunctionsUrl(environment)}/api-docs`,
  );
}

/** The anchor of a code's section: the code, with a dash in the place of each blank. */
export function codeAnchor(code: string): string {
  return code.replaceAll(" ", "-");
}

/** The absolute URL of the section of an error's code: `docs` in its body. */
export function errorDocsUrl(code: string): string {
  return `${docsUrl}/errors.md#${codeAnchor(code)}`;
}

/** The absolute URL of the page that says what is to go, and when. */
export function versionDocsUrl(): string {
  return `${docsUrl}/versions.md`;
}
