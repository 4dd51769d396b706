import type * as z from "zod";
import type { Page, PageEnd } from "../database/rpcs/page.ts";
import { changesEndSchema, pageEndSchema } from "../model/page.ts";
import { markList, readCursor, writeCursor } from "./cursor.ts";

/** A page as responses show it. */
export interface AnsweredPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The query of a collection as its SQL function takes it. */
export type PageQuery<Query, End = PageEnd> = Omit<Query, "cursor"> & {
  readonly after: End | null;
};

interface AskedPage {
  readonly cursor?: string | undefined;
}

/**
 * Reads a page of the collection `name`. `cursor` is the end of the previous page, of the same query but
 * for its `limit`.
 *
 * @param query must hold whose collection it is: a cursor of another instance is refused.
 * @throws {AppError} `invalid_request` for an invalid cursor.
 */
export function readPage<Query extends AskedPage, Answer extends Page<unknown>>(
  name: string,
  query: Query,
  read: (query: PageQuery<Query>) => Promise<Answer>,
): Promise<Omit<Answer, "next"> & { readonly nextCursor: string | null }> {
  return readPageUpTo(pageEndSchema, name, query, read);
}

/** The same for a collection whose pages end with something else. */
export async function readPageUpTo<
  End extends z.ZodObject,
  Query extends AskedPage,
  Answer extends { readonly next: object | null },
>(
  endSchema: End,
  name: string,
  query: Query,
  read: (query: PageQuery<Query, z.infer<End>>) => Promise<Answer>,
): Promise<Omit<Answer, "next"> & { readonly nextCursor: string | null }> {
  const { cursor, ...filter } = query;
  const list = await markList(name, filter);
  const after = cursor === undefined ? null : readCursor(endSchema, cursor, list);
  const { next, ...page } = await read({ ...filter, after });
  return { ...page, nextCursor: next === null ? null : writeCursor(next, list) };
}

/**
 * Reads a page of a collection that can also be read in the order of changes. With `updatedSince` the
 * cursor is another one, so that the two orders cannot be mistaken for each other.
 *
 * @throws {AppError} `invalid_request` for an invalid cursor.
 */
export async function readPageOrChanges<
  Query extends AskedPage & { readonly updatedSince?: string | undefined },
  Item,
>(
  name: string,
  query: Query,
  read: (query: PageQuery<Query>) => Promise<Page<Item>>,
): Promise<AnsweredPage<Item>> {
  if (query.updatedSince === undefined) return await readPage(name, query, read);
  return await readPageUpTo(changesEndSchema, name, query, async (request) => {
    const { after } = request;
    const end = after === null ? null : { createdAt: after.updatedAt, id: after.id };
    const { items, next } = await read({ ...request, after: end });
    return { items, next: next === null ? null : { updatedAt: next.createdAt, id: next.id } };
  });
}
