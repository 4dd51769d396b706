/** Checks length limits of a channel before the channel is called. */
import type { Issue } from "../../model/errors.ts";
import type { OptionList } from "../../model/message_content.ts";

/**
 * Returns an issue if `text` is longer than `max`. Counts Unicode code points, as JSON Schema's
 * `maxLength` does: an emoji of two UTF-16 units is one character.
 */
export function checkLength(path: string, text: string | undefined, max: number): Issue[] {
  const length = [...(text ?? "")].length;
  return length <= max
    ? []
    : [{ path, message: `has ${length} characters; this channel allows at most ${max}` }];
}

export interface OptionListLimits {
  readonly title: number;
  readonly buttonLabel: number;
  readonly optionId: number;
  readonly optionTitle: number;
  readonly optionDescription: number;
}

/** Returns an issue for every field of an option list that is longer than the channel allows. */
export function checkOptionListLengths(
  optionList: OptionList,
  limits: OptionListLimits,
): Issue[] {
  return [
    ...checkLength("optionList.title", optionList.title, limits.title),
    ...checkLength("optionList.buttonLabel", optionList.buttonLabel, limits.buttonLabel),
    ...optionList.options.flatMap((option, position) => {
      const path = `optionList.options.${position}`;
      return [
        ...checkLength(`${path}.id`, option.id, limits.optionId),
        ...checkLength(`${path}.title`, option.title, limits.optionTitle),
        ...checkLength(`${path}.description`, option.description, limits.optionDescription),
      ];
    }),
  ];
}
