/** Where a page of an administrator's collection ended. */
export interface PageEnd {
  readonly createdAt: string;
  readonly id: string;
}

/** A page to read, from the beginning or after where another one ended. */
export type PageRequest<Filter> = Filter & {
  readonly limit: number;
  readonly after: PageEnd | null;
};

/** A page; `next` is null where it is the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: PageEnd | null;
}
