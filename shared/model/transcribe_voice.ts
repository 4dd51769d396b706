/**
 * Which received voice messages of an instance are written down: those that an active agent will answer,
 * all, or none.
 */
export const transcribeVoiceModes = ["agent", "always", "never"] as const;
export type TranscribeVoice = (typeof transcribeVoiceModes)[number];
