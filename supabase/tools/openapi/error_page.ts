import { writeErrorSections } from "../../../functions/api-docs/error_sections.ts";
import { listErrors } from "../../../shared/model/errors.ts";
import type { Classification } from "../../../shared/providers/classification.ts";
import { registeredDocs } from "../../../shared/providers/registered_docs.ts";
import { writeTable } from "./markdown_table.ts";
import { wrapLines } from "./wrap_lines.ts";

const codesHead = "`error`";
const statusHead = "Status";

/** The first table of `page` whose columns are status and error. */
const tablePattern = /^\| Status +\| `error` +\|\n(?:\|.*\n)+/m;

/** The codes of the providers that have any. */
const channelCodes = Object.values(registeredDocs).flatMap(({ codes = [] }) => codes);

const channelHead = ["Code", "Says", "What we do", "Means"] as const;

/** The table of the channels' codes. */
const channelPattern = /^\| Code +\| Says +\| What we do +\| Means +\|\n(?:\|.*\n)+/m;

/** Between these comments stand the sections of the codes. */
const sectionsStart = "<!-- sections: `deno task openapi` writes them -->";
const sectionsEnd = "<!-- end of sections -->";

/**
 * The page of error codes with its tables and the section of each code as the code has them, laid out as the formatter does.
 *
 * @throws {Error} where the page lacks a table, or the place of the sections.
 */
export function writeErrorPage(page: string): string {
  if (!tablePattern.test(page)) throw new Error("the page has no table of error codes");
  if (!channelPattern.test(page)) throw new Error("the page has no table of the channel's codes");
  return writeSections(page).replace(tablePattern, () => writeCodesByStatus())
    .replace(channelPattern, () => writeTable([channelHead, ...listChannelCodes()]));
}

function writeSections(page: string): string {
  const [start, end] = [page.indexOf(sectionsStart), page.indexOf(sectionsEnd)];
  if (start < 0 || end < start) throw new Error("the page has no place for the sections of codes");
  const before = page.slice(0, start + sectionsStart.length);
  return `${before}\n\n${wrapLines(writeErrorSections())}\n\n${page.slice(end)}`;
}

function listChannelCodes(): string[][] {
  return channelCodes.map(([code, says, classification, meaning]) => [
    typeof code === "number" ? `${code}` : `${code[0]} to ${code[1]}`,
    says,
    describeClass(classification),
    meaning === undefined ? "" : `\`${meaning}\``,
  ]);
}

function describeClass(classification: Classification): string {
  if (classification.verdict === "ambiguous") return "`unconfirmed`";
  const isPermanent = classification.verdict === "permanent";
  switch (classification.scope) {
    case "message":
      return isPermanent ? "fails the message" : "tries the message again";
    case "recipient":
      return isPermanent ? "fails the message" : "tries the recipient again";
    case "instance":
      return isPermanent ? "holds the instance's queue" : "slows the instance down, tries again";
  }
}

function writeCodesByStatus(): string {
  const byStatus = Map.groupBy(listErrors(), ({ status }) => status);
  const rows = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, errors]) =>
    [`${status}`, errors.map(({ code }) => `\`${code}\``).join(", ")] as const
  );
  return writeTable([[statusHead, codesHead], ...rows]);
}
