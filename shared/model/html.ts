import { html } from "hono/html";

/** Text that means nothing but itself in HTML, in attributes too. */
export function escapeHtml(text: string): string {
  return String(html`${text}`);
}
