/** A function's environment without its database. The addresses in it lead nowhere. */
export const functionEnvironment: Readonly<Record<string, string>> = {
  SUPABASE_SECRET_KEY: "sb_secret_of_the_bench_0123456789",
  CREDENTIALS_KEYS: btoa("bench-only-credentials-key-32-by"),
  RESEND_API_KEY: "re_bench",
  EMAIL_FROM: "API <api@example.com>",
  AI_BASE_URL: "http://127.0.0.1:9/v1",
  AI_API_KEY: "sk-bench",
  PANEL_BASE_URL: "https://panel.example.com",
};
