import type { Destination, VendorRequest } from '../channel.ts';

export const isGroup = (recipient: string) =>
  /^[A-Za-z]/.test(recipient) && !recipient.includes('.');

/** A message to a person or a group. */
export function message(
  { recipient }: Pick<Destination, 'recipient'>,
  type: string,
  content: object,
): VendorRequest {
  // A user id goes into a separate field.
  const to = recipient.includes('.') ? { recipient } : { to: recipient };
  const recipient_type = isGroup(recipient) ? 'group' : 'individual';
  const head = { messaging_product: 'whatsapp', recipient_type, ...to };
  return { body: { ...head, type, [type]: content } };
}
