/**
 * The version of the service: the API's document, the header `X-Api-Version`, the command lines and
 * the metrics read it here. `deno task release` writes it.
 */
export const version = "1.1.0";
