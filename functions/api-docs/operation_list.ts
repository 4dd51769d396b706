import { escapeHtml } from "../../shared/model/html.ts";

/** The part of an OpenAPI document that the page shows without the viewer. */
export interface ListedDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ListedOperation>>>>;
}

interface ListedOperation {
  readonly tags: readonly string[];
  readonly summary: string;
}

/** Renders every operation under its tag as HTML, shown until the viewer has loaded. */
export function renderOperationList({ tags, paths }: ListedDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation }))
  );
  return tags.map(({ name, description }) => {
    const items = rows.filter((row) => row.tags.includes(name)).map((row) =>
      `<li><b>${escapeHtml(row.method.toUpperCase())}</b> <code>${escapeHtml(row.path)}</code> ` +
      `${escapeHtml(row.summary)}</li>`
    );
    return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(description)}</p>\n` +
      `<ul>\n${items.join("\n")}\n</ul>`;
  }).join("\n");
}
