/** The reference as HTML: every operation with its fields and examples, readable without any script. */
import { escapeHtml } from "../../shared/model/html.ts";
import { type Fields, listFields, type Schema } from "./body_fields.ts";
import { renderInline, renderMarkdown } from "./markdown.ts";
import { searchWords } from "./search_words.ts";

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Response {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface ReferenceOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

/** The part of an OpenAPI document that the page shows. */
export interface ReferenceDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly summary: string; readonly description?: string } }>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Row {
  readonly path: string;
  readonly method: string;
  readonly operation: ReferenceOperation;
}

/** The table of contents: every operation under its tag, and the events. */
export function renderContents(document: ReferenceDocument): string {
  const groups = document.tags.map(({ name }) => {
    const links = rowsOf(document, name).map(({ operation }) =>
      renderLink(operation.operationId, operation.summary)
    );
    return `<h2>${renderLink(anchorOf(name), name)}</h2>\n<ul>\n${
      links.map((link) => `<li>${link}</li>`).join("\n")
    }\n</ul>`;
  });
  return `${groups.join("\n")}\n<h2>${renderLink("event-types", "Event types")}</h2>`;
}

function renderLink(anchor: string, words: string): string {
  return `<a href='#${escapeHtml(anchor)}'>${escapeHtml(words)}</a>`;
}

/** The introduction, every operation, and the events. */
export function renderReference(document: ReferenceDocument): string {
  const tags = document.tags.map(({ name, description }) =>
    `<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2>\n<p>${renderInline(description)}</p>\n${
      rowsOf(document, name).map((row) => renderOperation(document, row)).join("\n")
    }`
  );
  return [
    `<section class="intro">${renderMarkdown(document.info.description, 2)}</section>`,
    ...tags,
    renderEvents(document),
  ].join("\n");
}

function rowsOf({ paths }: ReferenceDocument, tag: string): Row[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  ).filter(({ operation }) => operation.tags.includes(tag));
}

function anchorOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(/\W+/g, "-")}`;
}

function renderOperation(document: ReferenceDocument, row: Row): string {
  const { path, method, operation } = row;
  const { operationId, summary, description } = operation;
  const words = searchWords[operationId] ?? "";
  return `<section class="operation" id="${operationId}" data-words="${escapeHtml(words)}">
<h3>${renderLink(operationId, summary)}</h3>
<p class="address ${method}"><b>${method.toUpperCase()}</b> <code>${
    escapeHtml(path)
  }</code> <small>${describeAccess(operation)}</small></p>
${renderMarkdown(description, 4)}
${renderParameters(operation)}
${renderBody(document, operation)}
${renderExamples(row)}
${renderErrors(document, operation)}
</section>`;
}

function describeAccess({ security = [] }: ReferenceOperation): string {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.includes("ClientToken")) return "<code>X-Client-Token</code>";
  return names.includes("SecretKey") ? "<code>apikey</code>" : "public";
}

function renderParameters({ parameters = [] }: ReferenceOperation): string {
  const own = parameters.filter((one): one is Parameter => !("$ref" in one));
  return renderFields(
    "Parameters",
    own.map(({ name, required, description, schema }) => ({
      name,
      isRequired: required === true,
      type: typeof schema?.type === "string" ? schema.type : "",
      description: description ?? "",
    })),
  );
}

function renderBody(
  { components }: ReferenceDocument,
  { requestBody }: ReferenceOperation,
): string {
  const schema = requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return "";
  return renderFields("Body", listFields(schema, components.schemas));
}

function renderFields(title: string, fields: Fields): string {
  if (fields.length === 0) return "";
  const rows = fields.map(({ name, type, isRequired, description }) =>
    `<tr><td><code>${escapeHtml(name)}</code>${
      isRequired ? " <small>required</small>" : ""
    }</td><td>${escapeHtml(type)}</td><td>${renderInline(description)}</td></tr>`
  );
  return `<details class="fields"><summary>${title} <small>${fields.length}</small></summary>
<div class="table"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table></div></details>`;
}

function renderExamples(row: Row): string {
  const { operation } = row;
  const requests = operation.requestBody?.content["application/json"]?.examples ?? {};
  const [status = "200", success] = Object.entries(operation.responses)
    .find(([code]) => code.startsWith("2")) ?? [];
  const answers = success === undefined || "$ref" in success
    ? {}
    : success.content?.["application/json"]?.examples ?? {};
  const names = new Set([...Object.keys(requests), ...Object.keys(answers)]);
  return [...names].map((name, index) => {
    const summary = requests[name]?.summary ?? answers[name]?.summary ?? name;
    const answer = answers[name] === undefined
      ? ""
      : `<p><small>Answer ${status}</small></p>\n${renderJson(answers[name].value)}`;
    return `<details class="example" id="${operation.operationId}.${escapeHtml(name)}"${
      index === 0 ? " open" : ""
    }><summary>${escapeHtml(summary)}</summary>
<pre tabindex="0"><code>${escapeHtml(writeCall(row, requests[name]?.value))}</code></pre>
${answer}</details>`;
  }).join("\n");
}

function renderJson(value: unknown): string {
  return `<pre tabindex="0"><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
}

/** A call that a reader can paste, once the base URL and the credential are filled in. */
function writeCall({ path, method, operation }: Row, body: unknown): string {
  const access = (operation.security ?? []).flatMap((one) => Object.keys(one));
  const credential = access.includes("ClientToken")
    ? [`-H 'X-Client-Token: YOUR_SECRET_TOKEN'`]
    : access.includes("SecretKey")
    ? [`-H 'apikey: YOUR_SECRET_KEY'`]
    : [];
  const content = body === undefined ? [] : [
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
  ];
  return [`curl -X ${method.toUpperCase()} "$BASE_URL${path}"`, ...credential, ...content]
    .join(" \\\n  ");
}

function renderErrors(
  { components }: ReferenceDocument,
  { responses }: ReferenceOperation,
): string {
  const codes = Object.values(responses).flatMap((response) => {
    const known = "$ref" in response
      ? components.responses[response.$ref.split("/").at(-1) ?? ""]
      : response;
    const examples = known?.content?.["application/json"]?.examples ?? {};
    return "$ref" in response ? Object.keys(examples) : [];
  });
  if (codes.length === 0) return "";
  return `<details class="errors"><summary>Errors <small>${codes.length}</small></summary>
<p>${codes.map((code) => `<code>${escapeHtml(code)}</code>`).join(" ")}</p></details>`;
}

function renderEvents({ webhooks }: ReferenceDocument): string {
  const rows = Object.entries(webhooks).map(([name, { post }]) =>
    `<tr id="event.${escapeHtml(name)}"><td><code>${escapeHtml(name)}</code></td><td>${
      renderInline(post.description ?? post.summary)
    }</td></tr>`
  );
  return `<h2 id="event-types">Event types</h2>
<section class="operation" id="event-list" data-words="webhook events types"><h3>What events tell</h3>
<div class="table"><table><thead><tr><th>Event</th><th>When</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table></div></section>`;
}
