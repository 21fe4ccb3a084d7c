import type { Channel, Renderers } from '../../src/channels/channel.ts';
import { isUnstyled } from '../../src/lib/rich-text/rich-text.ts';

const RENDERERS = [
  'image',
  'video',
  'audio',
  'document',
  'place',
  'buttons',
  'reply',
  'thread',
] as const;
const OPERATIONS = ['edit', 'remove', 'check'] as const;

/** Names of the channel's capabilities. */
export function abilitiesOf({ renderers, text, ...channel }: Channel): string[] {
  const kinds = typeof renderers === 'object' ? renderers : undefined;
  return [
    ...RENDERERS.filter((name) => kinds?.[name]),
    ...OPERATIONS.filter((name) => channel[name]),
    ...(text?.write ? ['formatting'] : []),
    ...(kinds?.title === undefined ? [] : ['title']),
    ...(channel.options ?? []).map(({ name }) => nameOf(name)),
  ];
}

const nameOf = (option: string) => `option ${option}`;

/** Wraps the channel and records which capabilities are used. */
export function watch(channel: Channel, used: Set<string>): Channel {
  const recording =
    <Arguments extends unknown[], Value>(name: string, call: (...given: Arguments) => Value) =>
    (...given: Arguments): Value => {
      used.add(name);
      return call(...given);
    };
  const { renderers, text, send, edit, remove, check } = channel;
  const { write } = text ?? {};
  return {
    ...channel,
    ...(send && {
      send: (request, message, context) => {
        for (const name of Object.keys(message.options)) used.add(nameOf(name));
        return send(request, message, context);
      },
    }),
    ...(edit && { edit: recording('edit', edit) }),
    ...(remove && { remove: recording('remove', remove) }),
    ...(check && { check: recording('check', check) }),
    ...(text &&
      write && {
        text: {
          ...text,
          write: (rich, to) => {
            if (!isUnstyled(rich)) used.add('formatting');
            return write(rich, to);
          },
        },
      }),
    ...(typeof renderers === 'object' && { renderers: watchRenderers(renderers, used, recording) }),
  };
}

function watchRenderers(
  renderers: Renderers,
  used: Set<string>,
  recording: <Arguments extends unknown[], Value>(
    name: string,
    call: (...given: Arguments) => Value,
  ) => (...given: Arguments) => Value,
): Renderers {
  const media = Object.fromEntries(
    (['image', 'video', 'audio', 'document'] as const).flatMap((name) => {
      const form = renderers[name];
      return form ? [[name, { ...form, compose: recording(name, form.compose) }]] : [];
    }),
  );
  const { place, buttons, reply, thread } = renderers;
  return {
    ...renderers,
    ...media,
    text: (part, to) => {
      if (to.title !== undefined) used.add('title');
      return renderers.text(part, to);
    },
    ...(place && { place: recording('place', place) }),
    ...(buttons && { buttons: { ...buttons, add: recording('buttons', buttons.add) } }),
    ...(reply && { reply: recording('reply', reply) }),
    ...(thread && { thread: recording('thread', thread) }),
  };
}
