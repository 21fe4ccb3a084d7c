import { CliError, EXIT } from '../../exit.ts';

/** Reads a flag such as `--route whatsapp,until=read,after=PT2M`: a value, and others by name. */
export function flagParts<Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
): { head: string; values: Partial<Record<Name, string>> } {
  const [head = '', ...rest] = text.split(',').map((part) => part.trim());
  const values: Partial<Record<Name, string>> = {};
  for (const part of rest) {
    const at = part.indexOf('=');
    const name = names.find((one) => one === part.slice(0, at));
    if (!name || values[name] !== undefined) {
      const expected = names.map((one) => `${one}=…`).join(', ');
      throw new CliError(`${flag} ${text}: "${part}" is not one of ${expected}`, EXIT.usage);
    }
    values[name] = part.slice(at + 1);
  }
  return { head, values };
}
