import type { Channel, Renderers } from '../../src/channels/channel.ts';
import { isUnstyled } from '../../src/lib/rich-text/rich-text.ts';

const FORMS = [
  'image',
  'video',
  'audio',
  'document',
  'place',
  'buttons',
  'reply',
  'thread',
] as const;
const CALLS = ['edit', 'remove', 'check'] as const;

/** What a channel can do, by name. */
export function abilitiesOf({ renderers, text, ...channel }: Channel): string[] {
  const said = typeof renderers === 'object' ? renderers : undefined;
  return [
    ...FORMS.filter((name) => said?.[name]),
    ...CALLS.filter((name) => channel[name]),
    ...(text?.write ? ['formatting'] : []),
    ...(said?.title === undefined ? [] : ['title']),
  ];
}

/** The same channel, which notes what of it is used. */
export function watch(channel: Channel, used: Set<string>): Channel {
  const noting =
    <Arguments extends unknown[], Value>(name: string, call: (...given: Arguments) => Value) =>
    (...given: Arguments): Value => {
      used.add(name);
      return call(...given);
    };
  const { renderers, text, edit, remove, check } = channel;
  const { write } = text ?? {};
  return {
    ...channel,
    ...(edit && { edit: noting('edit', edit) }),
    ...(remove && { remove: noting('remove', remove) }),
    ...(check && { check: noting('check', check) }),
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
    ...(typeof renderers === 'object' && { renderers: watchForms(renderers, used, noting) }),
  };
}

function watchForms(
  renderers: Renderers,
  used: Set<string>,
  noting: <Arguments extends unknown[], Value>(
    name: string,
    call: (...given: Arguments) => Value,
  ) => (...given: Arguments) => Value,
): Renderers {
  const media = Object.fromEntries(
    (['image', 'video', 'audio', 'document'] as const).flatMap((name) => {
      const form = renderers[name];
      return form ? [[name, { ...form, compose: noting(name, form.compose) }]] : [];
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
    ...(place && { place: noting('place', place) }),
    ...(buttons && { buttons: { ...buttons, add: noting('buttons', buttons.add) } }),
    ...(reply && { reply: noting('reply', reply) }),
    ...(thread && { thread: noting('thread', thread) }),
  };
}
