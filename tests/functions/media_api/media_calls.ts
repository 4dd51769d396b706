/** Calls of media-api, as a tenant makes them. */
import type { Answer, MessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";

export interface FilePart {
  readonly bytes: ReturnType<TextEncoder["encode"]>;
  readonly type?: string;
  readonly name?: string;
}

/** A picture of 2,000 bytes. */
export const picture: FilePart = {
  bytes: padded(heads.jpeg, 2_000),
  type: "image/jpeg",
  name: "peça.jpg",
};

/** POST media with a form. */
export async function uploadFile(
  stack: MessagingStack,
  { token }: Pick<Tenant, "token">,
  { bytes, type = "", name = "file" }: FilePart,
  { headers = {}, fields = {} }: {
    readonly headers?: Readonly<Record<string, string>>;
    /** Behind the file. */
    readonly fields?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const form = new FormData();
  form.append("file", new Blob([bytes], { type }), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return await stack.request("/media-api/media", {
    method: "POST",
    headers: { "X-Client-Token": token, ...headers },
    body: form,
  });
}

/** POST media with the file's URL. */
export async function uploadUrl(
  stack: MessagingStack,
  { token }: Pick<Tenant, "token">,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await stack.request("/media-api/media", {
    method: "POST",
    headers: { "X-Client-Token": token, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** GET media/{mediaId}. */
export async function readMedia(
  stack: MessagingStack,
  { token }: Pick<Tenant, "token">,
  mediaId: string,
): Promise<Answer> {
  return await stack.request(`/media-api/media/${mediaId}`, {
    headers: { "X-Client-Token": token },
  });
}

/** The path of a link within the function. */
export function pathOfLink(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname.replace("/functions/v1", "") + search;
}
