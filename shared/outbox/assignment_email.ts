/** The e-mail that an operator receives for a new assignment (specification 4.4, rule 3). */
import { escapeHtml } from "../model/html.ts";
import { type RenderedEmail, toSingleLine } from "./rendered_email.ts";

export interface AssignmentEmailValues {
  /** Absent or blank when the contact has no name; the e-mail then shows the phone. */
  readonly contactName?: string | null | undefined;
  /** Digits with country code. */
  readonly contactPhone: string;
  /** URL of the conversation in the panel: see `conversationUrl`. */
  readonly conversationUrl: string;
  readonly operatorName?: string | null | undefined;
}

/**
 * Renders the e-mail in Brazilian Portuguese, as HTML and as plain text. Reduces every value to one
 * line and escapes it in the HTML.
 */
export function renderAssignmentEmail(values: AssignmentEmailValues): RenderedEmail {
  const phone = `+${toSingleLine(values.contactPhone)}`;
  const contactName = toSingleLine(values.contactName ?? "");
  const contact = contactName === "" ? phone : contactName;
  const operatorName = toSingleLine(values.operatorName ?? "");
  const greeting = operatorName === "" ? "Olá!" : `Olá, ${operatorName}!`;
  const url = values.conversationUrl;
  const subject = `Nova conversa atribuída a você: ${contact}`;
  return {
    subject,
    text: renderText({ greeting, contact, phone, url }),
    html: renderHtml({ subject, greeting, contact, phone, url }),
  };
}

/**
 * The conversation's URL in the panel, `<panelBaseUrl>/c/chat/<instancePhone>/<contactPhone>`. Ignores
 * slashes at the end of `panelBaseUrl`.
 */
export function conversationUrl(
  panelBaseUrl: string,
  instancePhone: string,
  contactPhone: string,
): string {
  const path = [instancePhone, contactPhone].map(encodeURIComponent).join("/");
  return `${panelBaseUrl.replace(/(?<!\/)\/+$/, "")}/c/chat/${path}`;
}

interface EmailTexts {
  readonly greeting: string;
  readonly contact: string;
  readonly phone: string;
  readonly url: string;
}

function renderText({ greeting, contact, phone, url }: EmailTexts): string {
  return `${greeting}

Uma conversa foi atribuída a você.

Contato: ${contact}
Telefone: ${phone}

Abrir a conversa: ${url}
`;
}

function renderHtml(texts: EmailTexts & { readonly subject: string }): string {
  const subject = escapeHtml(texts.subject);
  const url = escapeHtml(texts.url);
  return `<!DOCTYPE html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background-color:#f4f5f7;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr>
<td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;background-color:#ffffff;border:1px solid #e2e4e9;border-radius:8px;">
<tr>
<td style="padding:28px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px;color:#1f2430;">
<p style="margin:0 0 16px;">${escapeHtml(texts.greeting)}</p>
<p style="margin:0 0 16px;">Uma conversa foi atribuída a você.</p>
<p style="margin:0 0 24px;"><strong>Contato:</strong> ${escapeHtml(texts.contact)}<br>
<strong>Telefone:</strong> ${escapeHtml(texts.phone)}</p>
<p style="margin:0 0 24px;"><a href="${url}" style="display:inline-block;padding:12px 20px;background-color:#1a7f4b;border-radius:6px;color:#ffffff;font-weight:bold;text-decoration:none;">Abrir a conversa</a></p>
<p style="margin:0;font-size:13px;line-height:20px;color:#5c6370;">Se o botão não funcionar, copie este endereço no navegador:<br>
<a href="${url}" style="color:#1a7f4b;word-break:break-all;">${url}</a></p>
</td>
</tr>
</table>
</td>
</tr>
</table>
</body>
</html>
`;
}
