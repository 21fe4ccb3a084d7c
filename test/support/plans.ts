import type {
  ButtonRenderer,
  Channel,
  Renderers,
  TextLimit,
  VendorRequest,
} from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import type { Resolved } from '../../src/compose/references.ts';
import { ACTIVITY_STREAMS, type Activity, type ActivityObject } from '../../src/model/activity.ts';

/* Example channels, and plans for them. */

export const IMAGE = { type: 'Image', url: 'https://example.com/a.png', name: 'a.png' };
export const YES = { type: 'Button', name: 'Yes' };
export const MORE = { type: 'Button', name: 'More', url: 'https://example.com/more' };

/** A channel that supports only text. */
export const bare: Renderers = { text: ({ text }) => ({ call: 'say', body: { text } }) };

export const some: ButtonRenderer = {
  max: 2,
  maxLabelLength: 10,
  kinds: ['link', 'reply'],
  add: (request, buttons) => more(request, { buttons: buttons.map(({ name }) => name) }),
};

/** A channel that supports everything. */
export const rich: Renderers = {
  ...bare,
  title: 'the subject',
  image: media('image', 20),
  video: media('video', 0),
  document: media('document', 20),
  place: (place) => ({ call: 'place', body: { ...place } }),
  buttons: some,
  reply: (request, id) => more(request, { reply: id }),
  thread: (request, id) => more(request, { thread: id }),
};

export function media(kind: string, maxCaptionLength: number) {
  return {
    maxCaptionLength,
    compose: ({ url, caption: { text } }: { url: string; caption: { text: string } }) =>
      url.startsWith('https:')
        ? { call: kind, body: { url, text } }
        : { unsupported: 'not by https' },
  };
}

export const NO = { unsupported: 'no' };

export const inThread = (request: VendorRequest, id: string) => more(request, { thread: id });

const more = (request: VendorRequest, fields: object): VendorRequest => ({
  ...request,
  body: { ...request.body, ...fields },
});

export function channelWith(renderers: Renderers, text?: Partial<TextLimit>): Channel {
  return {
    name: 'example',
    title: 'Example',
    category: 'own',
    summary: '',
    keywords: [],
    docs: '',
    credentials: [],
    needs: [[]],
    recipient: { format: '', example: '', validate: () => undefined },
    limits: [],
    renderers,
    text: { max: 30, measure: (written) => written.length, ...text },
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
  renderers?: Renderers;
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
  const { renderers = bare, text, change, earlier = {}, able } = given;
  const channel = { ...channelWith(renderers, text), ...able };
  const circumstances = { recipient: 'bob', credentials: {}, earlier };
  const { steps, degradations } = makePlan(activity(object, change), channel, circumstances);
  const short = steps.map((step) =>
    Object.assign(
      {},
      step.does === 'send' ? {} : { does: step.does },
      'id' in step ? { id: step.id } : {},
      'request' in step ? step.request.body : {},
    ),
  );
  return [short, degradations.map(({ what }) => what)];
}
