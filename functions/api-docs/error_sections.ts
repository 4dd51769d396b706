/** The sections of the page of errors: one for each code that the service answers. */
import { codeAnchor } from "../../shared/runtime/docs_address.ts";
import { listErrors } from "../../shared/model/errors.ts";
import { escapeHtml } from "../../shared/model/html.ts";
import { renderInline } from "./markdown.ts";
import { type CodeGuide, helpers, refusalGuide } from "./error_guide.ts";
import { type GuidePart, outcomeParts } from "./outcome_guide.ts";

/** The codes of answers, then those that stand elsewhere. */
const parts: readonly GuidePart[] = [
  {
    title: "Codes of answers",
    place: "In `error` of an answer.",
    codes: Object.fromEntries(
      listErrors().map(({ code, message }) => {
        const { who, remedy, means = message } = refusalGuide[code];
        return [code, { who, remedy, means }];
      }),
    ),
  },
  ...outcomeParts,
];

/** Every code that has a section, in the order of the page. */
export function listExplainedCodes(): string[] {
  return parts.flatMap(({ codes }) => Object.keys(codes));
}

/** The sections in HTML, each with its anchor. */
export function renderErrorSections(): string {
  return parts.map(({ title, place, codes }) =>
    [
      `<h2>${escapeHtml(title)}</h2>`,
      `<p>${renderInline(place)}</p>`,
      ...Object.entries(codes).map(([code, section]) => renderSection(code, section)),
    ].join("\n")
  ).join("\n");
}

function renderSection(code: string, { who, remedy, means = "" }: CodeGuide): string {
  const rows = [["Means", means], ["Do", remedy], ["Who can", helpers[who]]] as const;
  return `<section><h3 id="${escapeHtml(codeAnchor(code))}">${escapeHtml(code)}</h3>\n<ul>${
    rows.map(([name, text]) => `<li><b>${name}:</b> ${renderInline(text)}</li>`).join("")
  }</ul></section>`;
}

/** The sections in Markdown. The anchor of a code is the one of `docs` in an error's body. */
export function writeErrorSections(): string {
  return parts.map(({ title, place, codes }) =>
    [
      `## ${title}`,
      place,
      ...Object.entries(codes).flatMap(([code, section]) => writeSection(code, section)),
    ].join("\n\n")
  ).join("\n\n");
}

function writeSection(code: string, { who, remedy, means = "" }: CodeGuide): string[] {
  const anchor = codeAnchor(code);
  // A heading's own anchor is in small letters.
  const named = anchor === anchor.toLowerCase() ? [] : [`<a id="${anchor}"></a>`];
  return [
    `### ${code}`,
    ...named,
    [`- **Means:** ${means}`, `- **Do:** ${remedy}`, `- **Who can:** ${helpers[who]}`].join("\n"),
  ];
}
