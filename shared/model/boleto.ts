/** Lines of boletos, as people type them (linha digitável), by their check digits (FEBRABAN). */

/** The digits of a line that may be written with dots, blanks and hyphens. */
export function boletoDigits(line: string): string {
  return line.replace(/[. -]/g, "");
}

/** Whether these digits are the line of a boleto: 47 of a bank's, 48 of a bill of public services or taxes. */
export function isBoletoLine(digits: string): boolean {
  if (/^[0-79]\d{46}$/.test(digits)) return isBankLine(digits);
  return /^8\d{47}$/.test(digits) && isBillLine(digits);
}

/** Three fields with a digit of their own each, the digit of the whole, due date and amount. */
function isBankLine(digits: string): boolean {
  const fields = [digits.slice(0, 10), digits.slice(10, 21), digits.slice(21, 32)];
  if (!fields.every((field) => modulo10(field.slice(0, -1)) === Number(field.at(-1)))) return false;
  const free = fields.map((field) => field.slice(0, -1)).join("");
  const barcode = free.slice(0, 4) + digits.slice(33) + free.slice(4);
  const rest = 11 - weighBy2To9(barcode) % 11;
  return (rest > 9 ? 1 : rest) === Number(digits[32]);
}

/** Four blocks with a digit of their own each; the third digit names the rule, the fourth is that of the whole. */
function isBillLine(digits: string): boolean {
  const rule = /^8\d[67]/.test(digits) ? modulo10 : /^8\d[89]/.test(digits) ? modulo11 : null;
  if (rule === null) return false;
  const blocks = [0, 12, 24, 36].map((start) => digits.slice(start, start + 12));
  if (!blocks.every((block) => rule(block.slice(0, -1)) === Number(block.at(-1)))) return false;
  const barcode = blocks.map((block) => block.slice(0, -1)).join("");
  return rule(barcode.slice(0, 3) + barcode.slice(4)) === Number(barcode[3]);
}

/** Digits by 2 and 1 in turn from the right, those of two places added; what lacks to the next ten. */
function modulo10(digits: string): number {
  const sum = Array.from(digits).reverse().reduce((total, digit, index) => {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return (10 - sum % 10) % 10;
}

function modulo11(digits: string): number {
  const rest = weighBy2To9(digits) % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function weighBy2To9(digits: string): number {
  return Array.from(digits).reverse().reduce(
    (total, digit, index) => total + Number(digit) * (index % 8 + 2),
    0,
  );
}
