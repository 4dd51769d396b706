import type { LinkOptions, MediaLinks } from "./links.ts";

/** Gives the links of this deployment. */
export type LoadLinks = () => Promise<MediaLinks>;

/**
 * The links of a deployment, loaded with the first file: they sign by node:crypto, which takes 214 million
 * instructions of a start on Deno 2.9.6, a fifth of that of send-message.
 */
export function createLinkLoader(options: LinkOptions): LoadLinks {
  let links: Promise<MediaLinks> | undefined;
  return () => links ??= openLinks(options);
}

async function openLinks(options: LinkOptions): Promise<MediaLinks> {
  const { createMediaLinks } = await import("./links.ts");
  return createMediaLinks(options);
}
