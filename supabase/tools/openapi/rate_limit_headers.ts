import type { JsonObject } from "./json_schema.ts";

/** What every answer to a client token says of its allowance, as references. */
export const rateLimitHeaders: JsonObject = {
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimit-Policy" },
  "RateLimit": { $ref: "#/components/headers/RateLimit" },
};

/** What they refer to. */
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
