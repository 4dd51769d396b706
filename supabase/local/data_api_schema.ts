/** What the Data API's library does with the schema of its database. */
interface SchemaReader<Schema> {
  introspect(options?: { useCache?: boolean }): Promise<Schema>;
}

/**
 * Lets calls that need the schema at the same time share one reading. The library reads it for each
 * call that arrives before the first reading has ended; a reading is a dozen large queries of the
 * catalogue and took 0.13 s of processor time, so that a burst on a new pool took longer than its calls
 * may. The library keeps what was read, and keeps no failed reading.
 */
export function shareSchemaReading<Schema>(connection: SchemaReader<Schema>): void {
  const read = connection.introspect.bind(connection);
  let reading: Promise<Schema> | undefined;
  connection.introspect = (options) => {
    if (options?.useCache !== true) return read(options);
    return reading ??= read(options).finally(() => reading = undefined);
  };
}
