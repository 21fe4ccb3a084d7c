import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';
import { type Validity, ttlOption, withTtl } from '../validity.ts';

const LINK = 'https://www.twilio.com/docs/messaging/api/message-resource';

export const VALIDITY: Validity = {
  min: 1,
  max: 36_000,
  write: (seconds) => ({ ValidityPeriod: String(seconds) }),
};

export const TWILIO_OPTIONS: readonly ChannelOption[] = [
  ttlOption(
    VALIDITY,
    'How long the message may wait in the queue of Twilio, which then drops it. 36,000 seconds (10 hours) by default.',
    LINK,
  ),
  {
    name: 'smart_encoded',
    label: 'Smart encoding',
    help: 'Replaces characters such as curly quotes with similar ones of the GSM alphabet, so that a text needs fewer segments. By default, the setting of the messaging service.',
    rule: { type: 'boolean' },
    link: LINK,
  },
  {
    name: 'shorten_urls',
    label: 'Shorten links',
    help: 'Shortens links in the text. False by default. The sender must be a messaging service with link shortening.',
    rule: { type: 'boolean' },
    link: 'https://www.twilio.com/docs/messaging/features/link-shortening',
  },
];

export function withTwilioOptions(request: VendorRequest, to: Destination): VendorRequest {
  const { smart_encoded, shorten_urls } = to.options;
  const body = {
    ...request.body,
    ...(smart_encoded !== undefined && { SmartEncoded: String(smart_encoded) }),
    ...(shorten_urls !== undefined && { ShortenUrls: String(shorten_urls) }),
  };
  return withTtl({ ...request, body }, to, VALIDITY);
}
