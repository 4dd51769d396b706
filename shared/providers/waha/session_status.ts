/**
 * The states of a WAHA session (page Sessions), and what each says of the connection with the phone. The only
 * place that knows their names.
 */

/** Whether messages leave; what stands between, and whether a person must act with the phone. */
export type WahaConnection = "connected" | "connecting" | "waiting_for_scan" | "disconnected";

const connections: Readonly<Record<string, WahaConnection>> = {
  STOPPED: "disconnected",
  STARTING: "connecting",
  SCAN_QR_CODE: "waiting_for_scan",
  PASSKEY_REQUIRED: "waiting_for_scan",
  PASSKEY_CONFIRMATION_REQUIRED: "waiting_for_scan",
  WORKING: "connected",
  FAILED: "disconnected",
};

/** What a status says of the connection; undefined for an unknown one. */
export function readWahaConnection(status: string | undefined): WahaConnection | undefined {
  return status !== undefined && Object.hasOwn(connections, status)
    ? connections[status]
    : undefined;
}

/** Whether the account asks for its passkey, which no code replaces. */
export function needsPasskey(status: string | undefined): boolean {
  return status?.startsWith("PASSKEY_") ?? false;
}
