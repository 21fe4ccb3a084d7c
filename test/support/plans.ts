import type { ButtonForm, Channel, Forms, TextLimit, Wire } from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import type { Resolved } from '../../src/compose/references.ts';
import { ACTIVITY_STREAMS, type Activity, type ActivityObject } from '../../src/model/activity.ts';

/* Example channels, and plans for them. */

export const PICTURE = { type: 'Image', url: 'https://example.com/a.png', name: 'a.png' };
export const YES = { type: 'Button', name: 'Yes' };
export const MORE = { type: 'Button', name: 'More', url: 'https://example.com/more' };

/** A channel that supports only text. */
export const bare: Forms = { text: ({ text }) => ({ call: 'say', body: { text } }) };

export const some: ButtonForm = {
  most: 2,
  label: 10,
  kinds: ['link', 'reply'],
  add: (wire, buttons) => more(wire, { buttons: buttons.map(({ name }) => name) }),
};

/** A channel that supports everything. */
export const rich: Forms = {
  ...bare,
  title: 'the subject',
  image: media('image', 20),
  video: media('video', 0),
  document: media('document', 20),
  place: (place) => ({ call: 'place', body: { ...place } }),
  buttons: some,
  reply: (wire, id) => more(wire, { reply: id }),
  thread: (wire, id) => more(wire, { thread: id }),
};

export function media(kind: string, caption: number) {
  return {
    caption,
    compose: ({ url, caption: { text } }: { url: string; caption: { text: string } }) =>
      url.startsWith('https:') ? { call: kind, body: { url, text } } : { unfit: 'not by https' },
  };
}

export const NO = { unfit: 'no' };

export const inThread = (wire: Wire, id: string) => more(wire, { thread: id });

const more = (wire: Wire, fields: object): Wire => ({
  ...wire,
  body: { ...wire.body, ...fields },
});

export function channelWith(forms: Forms, text?: Partial<TextLimit>): Channel {
  return {
    name: 'example',
    title: 'Example',
    docs: '',
    credentials: [],
    needs: [[]],
    recipient: { form: '', example: '', check: () => undefined },
    limits: [],
    forms,
    text: { most: 30, measure: (said) => said.length, ...text },
  };
}

export function activity(
  object: Partial<ActivityObject>,
  change: Partial<Activity> = {},
): Activity {
  return {
    '@context': ACTIVITY_STREAMS,
    type: 'Create',
    generator: { type: 'Service' },
    to: { type: 'Person', id: 'bob' },
    object: { type: 'Note', ...object },
    ...change,
  };
}

export interface Planned {
  forms?: Forms;
  text?: Partial<TextLimit>;
  change?: Partial<Activity>;
  earlier?: Resolved;
  able?: Partial<Channel>;
}

/** A short form of the steps, and the losses. */
export function planned(
  object: Partial<ActivityObject>,
  given: Planned = {},
): [unknown[], string[]] {
  const { forms = bare, text, change, earlier = {}, able } = given;
  const channel = { ...channelWith(forms, text), ...able };
  const circumstances = { recipient: 'bob', credentials: {}, earlier };
  const { steps, losses } = makePlan(activity(object, change), channel, circumstances);
  const short = steps.map((step) =>
    Object.assign(
      {},
      step.does === 'send' ? {} : { does: step.does },
      'id' in step ? { id: step.id } : {},
      'wire' in step ? step.wire.body : {},
    ),
  );
  return [short, losses.map(({ what }) => what)];
}
