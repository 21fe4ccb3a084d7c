import type { ChannelOption } from '../channel.ts';
import { type Validity, ttlOption } from '../validity.ts';

/*
 * The range that all APIs accept: the older SMS API in milliseconds, and the Messages API for SMS and for Viber.
 * https://developer.vonage.com/en/api/sms, https://developer.vonage.com/en/api/messages
 * RCS has a range of its own, from 300 seconds, and is left at its default.
 */
export const VALIDITY: Validity = {
  min: 30,
  max: 259_200,
  write(seconds, { channel }) {
    if (channel === undefined) return { ttl: String(seconds * 1000) };
    if (channel === 'sms') return { ttl: seconds };
    return channel === 'viber_service' ? { viber_service: { ttl: seconds } } : {};
  },
};

export const VONAGE_OPTIONS: readonly ChannelOption[] = [
  ttlOption(
    VALIDITY,
    'How long Vonage tries to deliver an SMS or a Viber message. 72 hours by default. Other networks ignore it.',
    'https://developer.vonage.com/en/api/messages',
  ),
];
