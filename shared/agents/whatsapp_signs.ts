/** Writes Markdown, which models answer in, with the few signs that WhatsApp shows. */
import { tablesToLines } from "./table_lines.ts";

/** Code stays as it is, without the name of its language, which WhatsApp would show as a word of it. */
const codeBlock =
  /^[^\S\n]{0,20}(?:`{3,9}|~{3,9})([^\n`~]{0,80})\n([\s\S]*?)(?:(?:```|~~~)[`~]{0,6}|(?![\s\S]))/gm;
const kept = /```[\s\S]*?```|`[^`\n]+`|https?:\/\/[^\s<>()\]]+(?:\([^\s<>()]*\)[^\s<>()\]]*)*/g;

/** A place that no rule may change. Private use: no model writes it. */
const placeMark = "\uE000";

/**
 * Bold, italics, struck text, headings, lists, links and tables as WhatsApp shows them, or as plain words. What
 * stands in code or in a URL is left alone. Takes linear time.
 */
export function toWhatsAppSigns(text: string): string {
  const places: string[] = [];
  const keep = (value: string): string => `${placeMark}${places.push(value) - 1}${placeMark}`;
  const words = text.replaceAll("\r\n", "\n").replaceAll(placeMark, "")
    .replace(
      codeBlock,
      (_, _language, code: string) => keep(`\`\`\`${code.trimEnd()}\`\`\``),
    )
    .replace(linkPattern, (_, shown: string, url: string) => writeLink(shown, url, keep))
    .replace(kept, keep)
    .replace(autolink, "$1");
  const lines = tablesToLines(words.replace(escaped, (_, sign: string) => keep(sign)));
  return writeLines(lines)
    .replace(/\uE000(\d+)\uE000/g, (_, place: string) => places[Number(place)] ?? "")
    // A place may hold others: the words of a link.
    .replace(/\uE000(\d+)\uE000/g, (_, place: string) => places[Number(place)] ?? "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const linkPattern =
  /!?\[([^\[\]\n]{0,500})\]\(\s*<?([^\s<>()]{1,2000}(?:\([^\s()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s+["'(][^"'()\n]{0,200}["')])?\s*\)/g;
const autolink = /<((?:\uE000\d+\uE000|mailto:[^\s<>]{1,300}|[^\s<>@]{1,100}@[^\s<>@]{1,200}))>/g;
const escaped = /\\([\\`*_{}[\]()#+\-.!|~>])/g;

function writeLink(shown: string, url: string, keep: (value: string) => string): string {
  const words = shown.trim();
  const target = url.replace(/^(?:mailto|tel):/, "");
  if (words === "" || words === url || words === target) return keep(target);
  return `${words} (${keep(target)})`;
}

/** Longer lines are nobody's Markdown; rules take time by the length of a line. */
const maxLineLength = 4_096;

function writeLines(text: string): string {
  const lines = text.split("\n");
  const written: string[] = [];
  for (const [place, line] of lines.entries()) {
    if (line.length > maxLineLength) {
      written.push(line);
      continue;
    }
    const isUnderlined = isUnderline(lines[place + 1] ?? "") && isTitle(line);
    if (isUnderline(line) && isTitle(lines[place - 1] ?? "")) continue;
    written.push(writeSpans(isUnderlined ? writeHeading(line.trim()) : writeLine(line)));
  }
  return written.join("\n");
}

const isUnderline = (line: string): boolean => /^(?:={2,80}|-{2,80})\s{0,9}$/.test(line);
const isTitle = (line: string): boolean =>
  line.length <= 200 && /\S/.test(line) && !/^\s*(?:[-*+>#=]|\d{1,9}[.)]\s)/.test(line);

const rule = /^\s{0,3}(?:\*\s?){3,80}$|^\s{0,3}(?:-\s?){3,80}$|^\s{0,3}(?:_\s?){3,80}$/;

/** Headings become bold, rules go, every list has WhatsApp's sign. */
function writeLine(line: string): string {
  if (rule.test(line)) return "";
  const heading = /^\s{0,3}#{1,6}\s+(?=\S)/.exec(line);
  if (heading !== null) return writeHeading(line.slice(heading[0].length));
  return line
    .replace(/^(\s*)[*+•‣▪]\s+(?=\S)/, "$1- ")
    .replace(/^(\s*)- \[ \]\s+/, "$1- ☐ ")
    .replace(/^(\s*)- \[[xX]\]\s+/, "$1- ☑ ")
    .replace(/^(\s*\d{1,9})\)\s+/, "$1. ")
    .replace(/^(?:>\s?){2,9}/, "> ");
}

function writeHeading(title: string): string {
  const words = title.replace(/\s#{1,6}\s{0,9}$/, "").replace(/\*\*|__/g, "").trim();
  return words === "" ? "" : `**${words.replace(/^\*([^*]+)\*$/, "$1")}**`;
}

/** Signs of emphasis stand at words: `2 ** 3` and `snake__case` have none. */
function writeSpans(line: string): string {
  if (!/[*_~<]/.test(line)) return line;
  return line
    .replace(/<br\s{0,3}\/?>\s{0,3}/gi, "\n")
    .replace(/<\/?(?:b|strong)>/gi, "**").replace(/<\/?(?:i|em)>/gi, "_")
    .replace(/<\/?(?:s|del|strike)>/gi, "~~")
    .replace(/\*{3}(?=[^\s*])([^*]{0,500}[^*\s])\*{3}/g, "*_$1_*")
    .replace(
      /\*\*(?=[^\s*])(.{0,500}?[^\s*])\*\*(?!\*)/g,
      (_, words: string) => `*${unbold(words)}*`,
    )
    .replace(
      /(?<![\p{L}\p{N}_])__(?=[^\s_])(.{0,500}?[^\s_])__(?![\p{L}\p{N}_])/gu,
      (_, words: string) => `*${unbold(words)}*`,
    )
    .replace(/~~(?=[^\s~])([^~]{0,500}[^~\s])~~/g, "~$1~");
}

/** Bold within bold would end it. */
function unbold(words: string): string {
  return words.replace(/(?<![\p{L}\p{N}*])\*([^*\n]{1,500})\*(?![\p{L}\p{N}*])/gu, "_$1_");
}
