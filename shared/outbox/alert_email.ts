/** The form of the e-mails to a workspace's alert address: paragraphs, as HTML and as plain text. */
import { escapeHtml } from "../model/html.ts";
import type { RenderedEmail } from "./rendered_email.ts";

/** Renders an alert in Brazilian Portuguese, one paragraph a line. */
export function renderAlertEmail(subject: string, lines: readonly string[]): RenderedEmail {
  const paragraphs = lines.map((line) => `<p style="margin:0 0 16px;">${escapeHtml(line)}</p>`);
  return {
    subject,
    text: `${lines.join("\n\n")}\n`,
    html: `<!DOCTYPE html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px;color:#1f2430;">
${paragraphs.join("\n")}
</body>
</html>
`,
  };
}

/** The day and the time of day of an instant, as its own offset has them: `28/11/2026 16:05:10`. */
export function writeLocalTime(instant: string): string {
  const [, year, month, day, time] = /^(\d+)-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(instant) ?? [];
  return time === undefined ? instant : `${day}/${month}/${year} ${time}`;
}
