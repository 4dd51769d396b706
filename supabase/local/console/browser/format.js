/** Names and figures as a person reads them. */

export const serviceNames = {
  zapi: "Z-API",
  evolution: "Evolution API",
  whatsapp_cloud: "WhatsApp Cloud",
  resend: "Resend",
  chat_completions: "AI model",
};

export const faultNames = {
  reject: "refuses for good",
  rate_limit: "too many requests",
  server_error: "server error",
  timeout: "never answers",
  reset: "connection breaks",
  garbage: "answers nonsense",
};

/**
 * A Brazilian number in the usual groups, any other as its digits.
 *
 * @param {string} phone digits, or a business-scoped user id
 */
export function formatPhone(phone) {
  const brazilian = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(phone);
  if (brazilian !== null) return `+55 ${brazilian[1]} ${brazilian[2]}-${brazilian[3]}`;
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}

/** @param {string} instant ISO 8601 */
export function formatTime(instant) {
  return new Date(instant).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** @param {string} instant ISO 8601 */
export function formatInstant(instant) {
  return new Date(instant).toLocaleString();
}

/**
 * The wall clock that the instant itself carries (ISO 8601 with offset), so that a send time reads
 * in the instance's time zone whatever the zone of this browser.
 *
 * @param {string} instant
 */
export function formatSlot(instant) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})/.exec(instant);
  if (parts === null) return instant;
  const today = new Date();
  const isToday = Number(parts[3]) === today.getDate() &&
    Number(parts[2]) === today.getMonth() + 1 && Number(parts[1]) === today.getFullYear();
  return isToday ? parts[4] : `${parts[1]}-${parts[2]}-${parts[3]} ${parts[4].slice(0, 5)}`;
}

/** @param {string} instant ISO 8601 */
export function formatWait(instant) {
  const seconds = Math.round((Date.parse(instant) - Date.now()) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds <= 0) return "due now";
  if (seconds < 120) return `in ${seconds} s`;
  if (seconds < 7_200) return `in ${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `in ${Math.round(seconds / 3_600)} h`;
  return `in ${Math.round(seconds / 86_400)} days`;
}

/** @param {number} ms */
export function formatDuration(ms) {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
