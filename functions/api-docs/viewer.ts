/** One file of the viewer, with the hash that a browser holds it to. */
export interface ViewerFile {
  readonly name: string;
  readonly integrity: string;
}

/**
 * Swagger UI of the npm package `swagger-ui-dist`, wherever it is loaded from: the hashes are those
 * of the package's files.
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

/** Where the viewer is loaded from unless the service has a copy of its own. */
export const defaultViewerUrl = `https://cdn.jsdelivr.net/npm/swagger-ui-dist@${viewerVersion}`;
