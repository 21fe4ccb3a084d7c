import { domainToASCII } from 'node:url';

import { normalPhoneNumber } from '../lib/text/phone-number.ts';
import type { IntegrationMode } from '../model/integration.ts';
import type { ConsentAddress } from '../model/sending/consent.ts';
import type { Channel } from './channel.ts';

/*
 * A person who stops messages stops them on a phone number, not on one of the providers that send to it. Channels that
 * reach the same inbox therefore share a family of addresses, written in one form.
 */

/**
 * The address whose consent a message to this recipient needs. The sandbox has families of its own: a simulated person
 * who stops messages must not silence a real one.
 */
export function consentAddressOf(
  { name, recipient: { consentAddress } }: Pick<Channel, 'name' | 'recipient'>,
  recipient: string,
  mode: IntegrationMode,
): ConsentAddress {
  const liveAddress = consentAddress?.(recipient) ?? { family: name, address: recipient };
  if (mode === 'live') return liveAddress;
  return { ...liveAddress, family: `sandbox.${liveAddress.family}` };
}

/** Phone numbers; a prefix such as `whatsapp:` names another network. MMS reaches the same inbox as SMS. */
export function phoneAddress(recipient: string): ConsentAddress {
  const [, network = 'sms', address = recipient] = /^([a-z]+):(.*)$/.exec(recipient) ?? [];
  const family = network === 'mms' ? 'sms' : network;
  return { family, address: normalAddress(family, address) };
}

export const whatsappAddress = (recipient: string): ConsentAddress => ({
  family: 'whatsapp',
  address: normalAddress('whatsapp', recipient),
});

export const mailAddress = (recipient: string): ConsentAddress => ({
  family: 'email',
  address: normalAddress('email', recipient),
});

/** Families of phone numbers. Short codes and the vendors' own ids stay as they are. */
const PHONE_FAMILIES: ReadonlySet<string> = new Set(['sms', 'whatsapp', 'rcs', 'viber']);

/** One form for each address, as it is stored. */
export function normalAddress(family: string, address: string): string {
  const liveFamily = family.replace(/^sandbox\./, '');
  if (liveFamily === 'email') return normalMailAddress(address);
  if (!PHONE_FAMILIES.has(liveFamily)) return address;
  if (/^\+[1-9]\d{4,14}$/.test(address)) return currentNumber(normalPhoneNumber(address));
  return /^[1-9]\d{8,14}$/.test(address)
    ? currentNumber(normalPhoneNumber(`+${address}`))
    : address;
}

/**
 * Mobile numbers of Mexico had another digit until 2019, and those of Brazil lacked one until 2016; WhatsApp still
 * reports the old numbers. Argentina is left out: there, the digit tells mobile phones from others.
 */
const currentNumber = (number: string): string =>
  number.replace(/^\+521(?=\d{10}$)/, '+52').replace(/^(\+55\d\d)(?=[6-9]\d{7}$)/, '$19');

/**
 * Mail servers ignore the case, quotes that are not needed, the normalization of letters (RFC 6532, 3.1), and how an
 * international domain is written.
 */
function normalMailAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at === -1) return address.normalize('NFC').toLowerCase();
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const plain = /^"([\w!#$%&'*+/=?^`{|}~.-]+)"$/.exec(local)?.[1] ?? local;
  return `${plain}@${domainToASCII(domain) || domain}`.normalize('NFC').toLowerCase();
}

const PHONE_NUMBER = /^([a-z]+:)?(\+?)([1-9]\d{4,14})$/;

/**
 * One notation for each number, so that a person has one lane: E.164 with the plus. Numbers without it are short codes.
 */
export function numberWithPlus(recipient: string): string {
  const [, network = '', plus, digits] = PHONE_NUMBER.exec(recipient) ?? [];
  return plus ? network + normalPhoneNumber(`+${digits}`) : recipient;
}

/** Like `numberWithPlus`, for vendors that report numbers without the plus. */
export function numberWithoutPlus(recipient: string): string {
  const [, network = '', , digits] = PHONE_NUMBER.exec(recipient) ?? [];
  if (digits === undefined) return recipient;
  return network + normalPhoneNumber(`+${digits}`).slice(1);
}
