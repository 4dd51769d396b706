/** The operations that the functions really answer, read from their apps, which nothing starts. */

interface App {
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** Stands for whatever an app asks of its services; as a text it is an address. */
const anyService: unknown = new Proxy(() => {}, {
  get: (_target, name) => {
    if (name === Symbol.toPrimitive) return () => "http://127.0.0.1";
    return typeof name === "symbol" ? undefined : anyService;
  },
});

/** `<METHOD> /functions/v1/<path>` of every operation; a segment that may be left out is. */
export async function listFunctionRoutes(slugs: readonly string[]): Promise<string[]> {
  const routes = await Promise.all(slugs.map(listRoutes));
  return routes.flat();
}

async function listRoutes(slug: string): Promise<string[]> {
  const module: Record<string, unknown> = await import(`../../functions/${slug}/app.ts`);
  const [create, ...others] = Object.entries(module).filter(([name]) =>
    /^create\w+App$/.test(name)
  );
  if (create === undefined || others.length > 0) throw new Error(`${slug}: not one create...App`);
  const app = await (create[1] as (services: unknown) => App | Promise<App>)(anyService);
  // Every handler of an operation is a route of its own; ALL are the manners they share.
  const operations = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) =>
    `${method} /functions/v1${path.replace(/\/:\w+\?$/, "")}`
  );
  return [...new Set(operations)];
}
