/**
 * The day since which the contract is as it is: `X-Api-Version` of every answer. A release that adds to
 * the contract or takes from it (MAJOR or MINOR) has a new one, which `deno task release` writes.
 */
export const contractDate = "2026-11-29";
