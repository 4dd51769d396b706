/** The end of a page of an admin-api collection: its last record. */
export interface PageEnd {
  readonly createdAt: string;
  readonly id: string;
}

/** A page to read: the first one, or the one after `after`. */
export type PageRequest<Filter> = Filter & {
  readonly limit: number;
  readonly after: PageEnd | null;
};

/** A page. `next` is null on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: PageEnd | null;
}
