import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';
import { type Validity, ttlOption, withTtl } from '../validity.ts';
import { isBird } from './bird.ts';

/*
 * The classic API only: the Channels API documents no such fields. `validity` has no documented maximum; we allow
 * a week.
 */
const LINK = 'https://developers.messagebird.com/api/sms-messaging/';

export const VALIDITY: Validity = {
  min: 1,
  max: 604_800,
  write: (validity) => ({ validity }),
};

export const MESSAGEBIRD_OPTIONS: readonly ChannelOption[] = [
  ttlOption(
    VALIDITY,
    'How long MessageBird tries to deliver. By default, MessageBird decides. Bird channels ignore it.',
    LINK,
  ),
  {
    name: 'flash',
    label: 'Flash SMS',
    help: 'Shows the text at once instead of storing it in the inbox. False by default. Bird channels ignore it.',
    rule: { type: 'boolean' },
    link: LINK,
  },
];

export function withMessageBirdOptions(request: VendorRequest, to: Destination): VendorRequest {
  if (isBird(to.credentials)) return request;
  const body = { ...request.body, ...(to.options['flash'] === true && { type: 'flash' }) };
  return withTtl({ ...request, body }, to, VALIDITY);
}
