/** Characters that nobody sees: how a text that others wrote is shown, and what names may not hold. */

/**
 * What a terminal obeys, and what hides text or turns its direction. Of the marks that nobody sees, joiners
 * and the forms of emoji stay: emoji and some scripts are written with them.
 */
const deceptive =
  /[[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\ufe0e\ufe0f]]/gv;

/** Controls, line breaks among them, and what turns the direction of the text after it. */
const control = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * A text as one line that a terminal can show: whatever is deceptive in it, a line break too, is written as
 * `\u{1b}`.
 */
export function toVisibleLine(text: string): string {
  return text.replace(deceptive, escapeCharacter);
}

/** Lines that a terminal can show, as `toVisibleLine`. Line feeds stay. */
export function toVisibleText(text: string): string {
  return text.replace(
    deceptive,
    (character) => character === "\n" ? "\n" : escapeCharacter(character),
  );
}

/** The JSON of a value, in which what is deceptive is escaped as JSON escapes it: the value is the same. */
export function toVisibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    deceptive,
    (character) =>
      character === "\n"
        ? "\n"
        : character.split("").map((unit) =>
          `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
        ).join(""),
  );
}

/** Unicode's default ignorables. In SQL: supabase/schemas/inbound/rules/without_invisible.sql. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * A text without the marks that nobody sees (joiners, marks of direction, fillers, variation selectors), which
 * copying puts around numbers and words: for comparing, and for asking whether anything is left. A text that
 * is shown or sent keeps them: emoji and some scripts are written with them.
 */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, "");
}

/**
 * Marks that no emoji and no script needs, but for those that turn text, which are refused; and those behind
 * an ASCII sign: `\u20e3` frames a digit.
 */
const needless =
  /[[\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\ufe0e\ufe0f\u202a-\u202e\u2066-\u2069]]/gv;
const stray = /(?<=^|[\0-\x7f])[\u200c\u200d\ufe0e\ufe0f]+(?!\u20e3)|\u200c$|\u200d$/gu;

/**
 * A name without the marks that nobody sees, but for those that emoji and some scripts are written with: what
 * looks like one name is one.
 */
export function withoutStrayMarks(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.replace(needless, "").replace(stray, "") : text;
}

/**
 * Signs without ink that are no blanks: controls but NUL, which is a fault, anchors, the empty pattern of
 * braille.
 */
const inkless = /[[\p{Cc}\ufff9-\ufffb\u2800]--[\0]]/gv;

/** Whether nobody sees anything of a text: it is blank, or of marks that nobody sees. */
export function isBlank(text: string): boolean {
  // Every text of every call is asked, and nearly all have one of these.
  if (/[!-~]/.test(text)) return false;
  return withoutInvisible(text).replace(inkless, "").trim() === "";
}

/** Whether a text holds a control: a name with one is shown as another one, or commands a terminal. */
export function holdsControl(text: string): boolean {
  return control.test(text);
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
