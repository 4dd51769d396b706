import { generate } from "lean-qr";
import { toPngDataURL } from "lean-qr/extras/node_export";

/** Pixels of a module: a code of WhatsApp's (65 modules, with its margin 73) is drawn on 438 pixels. */
const scale = 6;

/**
 * Draws a QR code: a PNG as a data URL, black on white, whatever the page around it looks like.
 *
 * @throws Error for a text that is too long for a QR code.
 */
export function drawQrCode(text: string): string {
  return toPngDataURL(generate(text), { on: [0, 0, 0], off: [255, 255, 255, 255], scale });
}
