/**
 * `pending`: the file is being fetched. `stored`: it is there. `failed`: it could not be fetched.
 * `expired`: the provider no longer has it, or its retention time is over.
 */
export const mediaStatuses = ["pending", "stored", "failed", "expired"] as const;

export type MediaStatus = (typeof mediaStatuses)[number];
