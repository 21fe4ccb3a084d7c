/** Values of a channel's options, such as a priority. The channel defines their names and values. */
export type MessageOptions = Readonly<Record<string, string | number | boolean>>;

/** How to send a message, given beside its activity. */
export interface Instructions {
  options?: MessageOptions;
}

/** As stored: null if there are none. */
export function writeInstructions(instructions: Instructions): string | null {
  const { options = {} } = instructions;
  return Object.keys(options).length === 0 ? null : JSON.stringify({ options });
}

export function readInstructions(stored: string | null): Instructions {
  return stored === null ? {} : (JSON.parse(stored) as Instructions);
}
