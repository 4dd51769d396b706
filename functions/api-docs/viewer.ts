/** One file of the viewer, with the hash that the browser checks (subresource integrity). */
export interface ViewerFile {
  readonly name: string;
  readonly integrity: string;
}

/**
 * Swagger UI of the npm package `swagger-ui-dist`. The hashes are those of the package's files, so
 * any source must serve the same files.
 */
export const viewerVersion = "5.35.0";

export const viewerScript: ViewerFile = {
  name: "swagger-ui-bundle.js",
  integrity: "sha384-gjRm0bEPMeTmMh5jT2cHccIwCUZSTd8YC+j0d0sXw0MdGEfScduGpSyF3ZSSLkX9",
};

export const viewerStyle: ViewerFile = {
  name: "swagger-ui.css",
  integrity: "sha384-WlYgdmXYOOBWL5apwjDEZwN+U3HmXSSu5R6V5aGxEcf7z+KuRNwBhoxKVN1i3D5I",
};

/** The default source of the viewer, unless the service hosts a copy. */
export const defaultViewerUrl = `https://cdn.jsdelivr.net/npm/swagger-ui-dist@${viewerVersion}`;
