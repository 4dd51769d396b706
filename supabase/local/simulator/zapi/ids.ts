/** Creates an id in Z-API's format. */
export function createId(length: number): string {
  return crypto.randomUUID().replaceAll("-", "").toUpperCase().slice(0, length);
}
