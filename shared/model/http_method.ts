/** The methods of the service's calls. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
