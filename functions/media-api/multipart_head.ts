/** The head of a form's part: what its `Content-Disposition` and its `Content-Type` say. */

export interface PartHead {
  readonly name: string;
  /** Undefined for a field that is no file. */
  readonly fileName: string | undefined;
  /** `application/octet-stream`, which says nothing, where the part has no type. */
  readonly contentType: string;
}

/** The boundary of a form's `Content-Type`; null where it has none. */
export function readBoundary(contentType: string): string | null {
  const boundary = readParameters(contentType).get("boundary") ?? "";
  return /^[\x20-\x7e]{1,200}$/.test(boundary) ? boundary : null;
}

/** Reads the lines before a part's content; null where they name no field of a form. */
export function readPartHead(lines: string): PartHead | null {
  const headers = new Map(
    lines.split("\r\n").filter((line) => line.includes(":")).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const parameters = readParameters(disposition);
  const name = parameters.get("name");
  if (!/^form-data\s*(?:;|$)/i.test(disposition) || name === undefined) return null;
  return {
    name: unescapeQuotes(name),
    fileName: readFileName(parameters),
    contentType: headers.get("content-type") || "application/octet-stream",
  };
}

/** RFC 7578 rules out `filename*`, some clients write it all the same: it then holds the whole name. */
function readFileName(parameters: ReadonlyMap<string, string>): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(parameters.get("filename*") ?? "")?.[1];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Not encoded as it says: the plain name is left.
  }
  const plain = parameters.get("filename");
  return plain === undefined ? undefined : unescapeQuotes(plain);
}

const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^\s;"]*))/g;

/** The parameters of a header's value, by their names in lower case. Of two the first counts. */
function readParameters(value: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", quoted, bare = ""] of value.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted ?? bare);
  }
  return found;
}

/** Browsers write a quotation mark in a name as %22, curl with a backslash. */
function unescapeQuotes(text: string): string {
  return text.replace(/\\"|%22/g, '"');
}
