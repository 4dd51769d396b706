import type { Page, PageEnd } from "../database/rpcs/page.ts";
import { changesEndSchema, pageEndSchema } from "../model/page.ts";
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

/**
 * Reads a page of a collection that can also be read in the order of changes. With `updatedSince` the
 * cursor is another one, so that the two orders cannot be mistaken for each other.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor.
 */
export async function readPageOrChanges<
  Query extends {
    readonly cursor?: string | undefined;
    readonly updatedSince?: string | undefined;
  },
  Item,
>(
  query: Query,
  read: (query: PageQuery<Query>) => Promise<Page<Item>>,
): Promise<AnsweredPage<Item>> {
  if (query.updatedSince === undefined) return await readPage(query, read);
  const { cursor, ...filter } = query;
  const end = cursor === undefined ? null : readCursor(changesEndSchema, cursor);
  const after = end === null ? null : { createdAt: end.updatedAt, id: end.id };
  const { items, next } = await read({ ...filter, after });
  return {
    items,
    nextCursor: next === null ? null : writeCursor({ updatedAt: next.createdAt, id: next.id }),
  };
}
