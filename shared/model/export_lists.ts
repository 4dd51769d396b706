/** The lists of a contact's export, in the order of the answer. */
export const exportLists = [
  ...["consentLog", "notes", "transfers", "questions", "payments", "messages"] as const,
] as const;
export type ExportList = (typeof exportLists)[number];
