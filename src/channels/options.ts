import { countCodePoints } from '../lib/text/code-points.ts';
import { similarNames } from '../lib/text/similar-names.ts';
import { type FieldError, pointerToken } from '../model/problem.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';

/** The values that an option accepts. */
export type OptionRule =
  | { type: 'boolean' }
  | { type: 'integer'; min: number; max: number; unit?: 'seconds' }
  | { type: 'choice'; choices: readonly string[] }
  | {
      type: 'text';
      /** In characters. */
      maxLength: number;
      example: string;
      /** Returns the problem with a value, or undefined if it is valid. */
      validate?(value: string): string | undefined;
    };

/** An option of a channel, given per message or as a default of the integration. */
export interface ChannelOption {
  /** Lower case, words joined by underscores. */
  name: string;
  label: string;
  /** What it does, and the vendor's default. */
  help: string;
  rule: OptionRule;
  /** The vendor's page. */
  link?: string;
}

/** The rule of an option that is an http or https URL. */
export function urlRule(maxLength: number, example = 'https://example.com/orders/7'): OptionRule {
  return {
    type: 'text',
    maxLength,
    example,
    validate: (value) =>
      /^https?:\/\/[\x21-\x7e]+$/i.test(value) && URL.canParse(value)
        ? undefined
        : 'must be an http or https URL',
  };
}

/** The problems of these values. Unknown options are refused: a typo must not send without the option. */
export function optionFaults(
  channel: { title: string; options?: readonly ChannelOption[] },
  options: MessageOptions,
  pointer: string,
): FieldError[] {
  const declared = channel.options ?? [];
  return Object.entries(options).flatMap(([name, value]) => {
    const option = declared.find((one) => one.name === name);
    const detail = option
      ? valueFault(option.rule, value)
      : unknownOption(channel.title, declared, name);
    return detail === undefined ? [] : [{ pointer: `${pointer}/${pointerToken(name)}`, detail }];
  });
}

function unknownOption(title: string, declared: readonly ChannelOption[], name: string): string {
  if (declared.length === 0) return `is not supported: ${title} has no options`;
  const names = declared.map((option) => option.name);
  const [similar] = similarNames(name, names);
  return similar === undefined
    ? `is not an option of ${title}; it has ${names.join(', ')}`
    : `is not an option of ${title}; did you mean ${similar}?`;
}

function valueFault(rule: OptionRule, value: string | number | boolean): string | undefined {
  switch (rule.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'integer': {
      const isValid =
        typeof value === 'number' &&
        Number.isInteger(value) &&
        value >= rule.min &&
        value <= rule.max;
      return isValid ? undefined : `must be an integer from ${rule.min} to ${rule.max}`;
    }
    case 'choice':
      return typeof value === 'string' && rule.choices.includes(value)
        ? undefined
        : `must be one of ${rule.choices.join(', ')}`;
    case 'text':
      return textFault(rule, value);
  }
}

function textFault(
  { maxLength, validate }: Extract<OptionRule, { type: 'text' }>,
  value: string | number | boolean,
): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return 'must be a text that is not blank';
  if (countCodePoints(value) > maxLength) return `must have at most ${maxLength} characters`;
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return 'must have no control characters';
  return validate?.(value);
}
