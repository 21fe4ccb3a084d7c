import type { Channel, MessageOptions } from '../../../sdk/src/index.ts';
import { CliError, EXIT } from '../exit.ts';

/* Options of a channel on the command line: `--option name=value`. */

type ChannelOption = Channel['options'][number];

/** Collects a repeatable flag. */
export function collect(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** Parses values by the types that the channel declares. The service checks bounds and choices. */
export function parseOptions(channel: Channel, texts: readonly string[]): MessageOptions {
  const options = new Map<string, MessageOptions[string]>();
  for (const text of texts) {
    const [name, value] = split(text);
    const option = channel.options.find((one) => one.name === name);
    if (!option) throw usageError(name, unknownOption(channel));
    if (options.has(name)) throw usageError(name, 'given more than once');
    options.set(name, parseValue(option, value));
  }
  return Object.fromEntries(options);
}

function split(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(text, 'expected name=value');
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

function unknownOption({ title, name, options }: Channel): string {
  if (options.length === 0) return `${title} has no options`;
  const names = options.map((option) => option.name).join(', ');
  return `not an option of ${title}; "channels ${name}" describes its options: ${names}`;
}

function parseValue({ name, type }: ChannelOption, value: string): MessageOptions[string] {
  switch (type) {
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true';
      throw usageError(name, `expected true or false, not "${value}"`);
    case 'integer':
      if (/^-?\d{1,15}$/.test(value)) return Number(value);
      throw usageError(name, `expected a whole number, not "${value}"`);
    default:
      return value;
  }
}

function usageError(name: string, detail: string): CliError {
  return new CliError(`--option ${name}: ${detail}`, EXIT.usage);
}

/** The values that an option accepts, for people. */
export function valuesOf(option: ChannelOption): string {
  const { type, minimum, maximum, unit, choices = [], max_length: maxLength, example } = option;
  switch (type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `${minimum} to ${maximum}${unit === undefined ? '' : ` ${unit}`}`;
    case 'choice':
      return choices.join(', ');
    case 'text':
      return `text of at most ${maxLength} characters, such as ${example}`;
  }
}

/** As on the command line: `silent=true, ttl=60`. */
export function optionsLine(options: MessageOptions = {}): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
