/** The engines of WAHA. A simulated session's follows from its name: `…-webjs`, `…-gows`, else NOWEB. */
export type WahaEngine = "WEBJS" | "NOWEB" | "GOWS";

/** The engine of a session. */
export function engineOf(session: string): WahaEngine {
  if (/-webjs$/i.test(session)) return "WEBJS";
  return /-gows$/i.test(session) ? "GOWS" : "NOWEB";
}
