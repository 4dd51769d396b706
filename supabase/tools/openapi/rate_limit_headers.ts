import type { JsonObject } from "./json_schema.ts";

/** References to the rate limit headers of every response to a client token. */
export const rateLimitHeaders: JsonObject = {
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimit-Policy" },
  "RateLimit": { $ref: "#/components/headers/RateLimit" },
};

/** The referenced headers. */
export const rateLimitHeaderComponents: JsonObject = {
  "RateLimit-Policy": {
    description:
      "The limit of this token for this function: `q` requests in `w` seconds. Absent when the instance has no limit.",
    schema: { type: "string" },
    example: '"send-message";q=18000;w=60',
  },
  "RateLimit": {
    description:
      "Number of remaining requests (`r`), and seconds until the full quota is available again (`t`).",
    schema: { type: "string" },
    example: '"send-message";r=17999;t=1',
  },
};
