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
      "The function's limit for this token: `q` requests in `w` seconds. Absent where the instance sets none.",
    schema: { type: "string" },
    example: '"send-message";q=18000;w=60',
  },
  "RateLimit": {
    description:
      "How many requests remain (`r`), and in how many seconds the allowance is whole again (`t`).",
    schema: { type: "string" },
    example: '"send-message";r=17999;t=1',
  },
};
