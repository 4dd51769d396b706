import { writeVersions } from "../../../functions/api-docs/versions_text.ts";
import { deprecations } from "../../../shared/model/deprecations.ts";
import { wrapLines } from "./wrap_lines.ts";

/** docs/versions.md as it is committed. */
export function writeVersionsPage(): string {
  return `# Versions\n\n${wrapLines(writeVersions(deprecations))}\n`;
}
