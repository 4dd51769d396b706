import { hashClientToken } from "../../shared/crypto/client_token.ts";
import type { CredentialVault } from "../../shared/crypto/credential_vault.ts";
import type { Database } from "../../shared/database/database.ts";
import type { EnteredLink } from "../../shared/database/rpcs/tenancy.ts";
import { AppError } from "../../shared/model/errors.ts";

/** Dependencies of what reads links. */
export interface LinkServices {
  readonly database: Database;
  readonly vault: CredentialVault;
}

/** What a call shows of its link. */
export interface LinkCall {
  readonly token: string;
  /** What `openLink` gave to the page. */
  readonly page: string;
}

/**
 * Opens a link for a page. `page` is what the page shows with every further call: a page that was open when
 * the phone was connected may go on, and no other.
 *
 * @throws {AppError} `connection_link_not_found`, `connection_link_ended`, `rate_limited`.
 */
export async function openLink(
  services: LinkServices,
  token: string,
): Promise<{ readonly link: EnteredLink; readonly page: string }> {
  const link = await enter(services, { token, openedAt: null });
  const page = await services.vault.seal(link.openedAt, await hashClientToken(token));
  return { link, page };
}

/**
 * The link of an open page.
 *
 * @throws {AppError} as `openLink`; `connection_link_ended` also for a page that this link has not opened.
 */
export async function readLink(
  services: LinkServices,
  { token, page }: LinkCall,
  { sendsTest = false }: { readonly sendsTest?: boolean } = {},
): Promise<EnteredLink> {
  const openedAt = await services.vault.open<string>(page, await hashClientToken(token))
    .catch(() => null);
  if (openedAt === null) throw new AppError("connection_link_ended");
  return await enter(services, { token, openedAt, sendsTest });
}

async function enter(
  { database }: LinkServices,
  { token, openedAt, sendsTest = false }: {
    readonly token: string;
    readonly openedAt: string | null;
    readonly sendsTest?: boolean;
  },
): Promise<EnteredLink> {
  const tokenHash = await hashClientToken(token);
  const link = await database.rpc("enter_connection_link", { tokenHash, openedAt, sendsTest });
  if (!("refused" in link)) return link;
  switch (link.refused) {
    case "not_found":
      throw new AppError("connection_link_not_found");
    case "ended":
      throw new AppError("connection_link_ended");
    case "rate_limited":
      throw new AppError("rate_limited", {
        headers: { "Retry-After": String(Math.max(1, link.retryAfterSeconds)) },
      });
  }
}
