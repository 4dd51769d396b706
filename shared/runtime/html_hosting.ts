/**
 * Whether the platform shows HTML that a function of this address answers. Supabase serves it as plain text on a
 * project's default domain, and as HTML on a custom domain.
 */
export function servesHtml(address: string | undefined): boolean {
  return address === undefined || !URL.canParse(address) ||
    !new URL(address).hostname.endsWith(".supabase.co");
}
