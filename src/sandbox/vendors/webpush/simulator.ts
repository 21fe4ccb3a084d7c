import { listMember, textMember } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import type { ShownContent } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply } from '../../wire/request.ts';
import { type PushFault, VAPID, readPush, subscriptionAt } from './push-service.ts';

const ORIGIN = 'https://sandbox.test';
const subscription = (name: string) => subscriptionAt(`${ORIGIN}/p/${name}`);
const nameIn = (path: string) => /^\/p\/([\w-]+)$/.exec(path)?.[1];

const refusal = ({ status, reason }: PushFault, headers = {}): Reply => ({
  status,
  headers,
  body: { reason },
});

export const webpush: Simulator = {
  channel: 'webpush',
  limits: { none: 'push services document no rate' },
  credentials: VAPID,
  people: [
    { address: subscription('ada'), name: 'Ada Example' },
    { address: subscription('grace'), name: 'Grace Example' },
  ],
  magicAddress: (number) => subscription(`fault-${number}`),
  // A refusal never proves that the keys are wrong for all subscriptions: the one that is refused may be forged.
  lacks: ['credentials'],

  recipientOf({ method, path }) {
    const name = nameIn(path);
    return method === 'POST' && name !== undefined ? subscription(name) : undefined;
  },

  async respond(request, phone) {
    const name = nameIn(request.path);
    if (request.method !== 'POST' || name === undefined) {
      return refusal({ status: 404, reason: 'NotFound' });
    }
    const notification = await readPush(request, ORIGIN, phone.now());
    if (typeof notification !== 'string') return refusal(notification);
    const shown = await phone.show(
      subscription(name),
      contentOf(parseJson(notification)),
      (number) => `${ORIGIN}/m/${number}`,
    );
    return { status: 201, headers: { location: shown.vendorId } };
  },

  refusals: {
    blocked: () => refusal({ status: 410, reason: 'Unregistered' }),
    unknown: () => refusal({ status: 404, reason: 'NotFound' }),
    limited: (seconds) =>
      refusal({ status: 429, reason: 'TooManyRequests' }, { 'retry-after': String(seconds) }),
    credentials: () => refusal({ status: 403, reason: 'BadJwtToken' }),
  },

  reports: {},
};

/** The notification as the service worker of the setup guide shows it. */
function contentOf(notification: unknown): ShownContent {
  const [title, text, image] = ['title', 'body', 'image'].map((name) =>
    textMember(notification, name),
  );
  const buttons = listMember(notification, 'actions').map((action) => ({
    label: textMember(action, 'title') ?? '',
    url: textMember(action, 'action') ?? '',
  }));
  return {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(image !== undefined && { media: [{ type: 'Image' as const, url: image }] }),
    ...(buttons.length > 0 && { buttons }),
  };
}
