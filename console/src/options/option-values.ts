import type { Channel, MessageOptions } from '../api/types.ts';

/* Values of a channel's options. */

export type ChannelOption = Channel['options'][number];

export const NO_OPTIONS: MessageOptions = {};

/** Copy with another value; undefined removes it. */
export function withValue(
  values: MessageOptions,
  name: string,
  value: MessageOptions[string] | undefined,
): MessageOptions {
  const { [name]: _former, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
}

/** The values of options that the channel has, in its order. */
export function knownValues(channel: Channel, values: MessageOptions = {}): MessageOptions {
  return Object.fromEntries(
    channel.options.flatMap(({ name }) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export const isEmpty = (values: MessageOptions) => Object.keys(values).length === 0;

export const isSame = (channel: Channel, a: MessageOptions, b: MessageOptions) =>
  JSON.stringify(knownValues(channel, a)) === JSON.stringify(knownValues(channel, b));
