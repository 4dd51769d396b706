/** What the official channel decides on of the business's own number. */
export const numberFacts = ["name", "quality", "username"] as const;
export type NumberFact = (typeof numberFacts)[number];
