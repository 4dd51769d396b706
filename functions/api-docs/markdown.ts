/** Turns the document's descriptions into HTML: the part of Markdown that they use. */
import { escapeHtml } from "../../shared/model/html.ts";

/**
 * Paragraphs, headings, lists, tables, fenced code, inline code, bold, italics, links to web addresses,
 * and a folded part whose `<details>` and `</details>` stand in paragraphs of their own. Everything else is
 * shown as it is written: no HTML of a description reaches the page.
 *
 * @param headingLevel of the description's highest headings.
 */
export function renderMarkdown(text: string, headingLevel: number): string {
  const blocks = text.split(/^(```[^\n]*\n[\s\S]*?^```)$/m);
  return blocks.map((block) =>
    block.startsWith("```") ? renderCode(block) : renderBlocks(block, headingLevel)
  ).join("\n");
}

/** One line of Markdown, without a paragraph around it. */
export function renderInline(text: string): string {
  const parts = text.split(/(`[^`]+`)/);
  return parts.map((part) =>
    part.startsWith("`") && part.length > 2
      ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
      : renderWords(part)
  ).join("");
}

function renderWords(text: string): string {
  return escapeHtml(text)
    .replace(/\[([^[\]]+)\]\((https?:\/\/[^\s)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
    .replace(/\*([^*\s][^*]*)\*/g, "<em>$1</em>");
}

function renderCode(block: string): string {
  const code = block.slice(block.indexOf("\n") + 1, block.lastIndexOf("\n"));
  return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`;
}

function renderBlocks(text: string, headingLevel: number): string {
  return text.split(/\n{2,}/).map((block) => block.trim()).filter((block) => block !== "")
    .map((block) => renderBlock(block, headingLevel)).join("\n");
}

function renderBlock(block: string, headingLevel: number): string {
  const [, folded] = /^<details>\n<summary>([^<]*)<\/summary>$/.exec(block) ?? [];
  if (folded !== undefined) return `<details><summary>${escapeHtml(folded)}</summary>`;
  if (block === "</details>") return block;
  const [, marks, title] = /^(#{1,6}) (.+)$/.exec(block) ?? [];
  if (marks !== undefined && title !== undefined) {
    const level = Math.min(6, Math.max(headingLevel, marks.length));
    return `<h${level}>${renderInline(title)}</h${level}>`;
  }
  if (block.startsWith("|")) return renderTable(block.split("\n"));
  if (/^- /.test(block)) {
    const items = block.split(/\n(?=- )/).map((item) => renderInline(item.slice(2)));
    return `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
  }
  return `<p>${renderInline(block)}</p>`;
}

function renderTable([head = "", , ...rows]: readonly string[]): string {
  const renderRow = (row: string, cell: "th" | "td"): string => {
    const cells = row.replace(/^\||\|$/g, "").split("|");
    return `<tr>${
      cells.map((text) => `<${cell}>${renderInline(text.trim())}</${cell}>`).join("")
    }</tr>`;
  };
  return `<div class="table" tabindex="0"><table><thead>${renderRow(head, "th")}</thead><tbody>${
    rows.map((row) => renderRow(row, "td")).join("")
  }</tbody></table></div>`;
}
