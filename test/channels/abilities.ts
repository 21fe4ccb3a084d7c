import type { Channel, Forms } from '../../src/channels/channel.ts';
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
export function abilitiesOf({ forms, text, ...channel }: Channel): string[] {
  const said = typeof forms === 'object' ? forms : undefined;
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
  const { forms, text, edit, remove, check } = channel;
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
    ...(typeof forms === 'object' && { forms: watchForms(forms, used, noting) }),
  };
}

function watchForms(
  forms: Forms,
  used: Set<string>,
  noting: <Arguments extends unknown[], Value>(
    name: string,
    call: (...given: Arguments) => Value,
  ) => (...given: Arguments) => Value,
): Forms {
  const media = Object.fromEntries(
    (['image', 'video', 'audio', 'document'] as const).flatMap((name) => {
      const form = forms[name];
      return form ? [[name, { ...form, compose: noting(name, form.compose) }]] : [];
    }),
  );
  const { place, buttons, reply, thread } = forms;
  return {
    ...forms,
    ...media,
    text: (part, to) => {
      if (to.title !== undefined) used.add('title');
      return forms.text(part, to);
    },
    ...(place && { place: noting('place', place) }),
    ...(buttons && { buttons: { ...buttons, add: noting('buttons', buttons.add) } }),
    ...(reply && { reply: noting('reply', reply) }),
    ...(thread && { thread: noting('thread', thread) }),
  };
}
