import type { Page, PageEnd } from "../database/rpcs/page.ts";
import { pageEndSchema } from "../model/page.ts";
import { readCursor, writeCursor } from "./cursor.ts";

/** A page as responses show it. */
export interface AnsweredPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The query of a collection as its SQL function takes it. */
export type PageQuery<Query> = Omit<Query, "cursor"> & { readonly after: PageEnd | null };

/**
 * Reads a page of a collection. `cursor` is the end of the previous page.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor.
 */
export async function readPage<Query extends { readonly cursor?: string | undefined }, Item>(
  query: Query,
  read: (query: PageQuery<Query>) => Promise<Page<Item>>,
): Promise<AnsweredPage<Item>> {
  const { cursor, ...filter } = query;
  const after = cursor === undefined ? null : readCursor(pageEndSchema, cursor);
  const page = await read({ ...filter, after });
  return { items: page.items, nextCursor: page.next === null ? null : writeCursor(page.next) };
}
