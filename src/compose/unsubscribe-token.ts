import type { Id } from '../model/id.ts';
import { parseId } from '../model/id.ts';
import type { Signer } from './media-urls.ts';

/*
 * The URL at which a recipient of marketing unsubscribes. It names the application and the recipient, and never
 * expires: an email may be opened years later. https://www.rfc-editor.org/rfc/rfc8058
 */

const PURPOSE = 'unsubscribe address';
/** Longer than the token of any address. */
const MAX_UNSUBSCRIBE_TOKEN_LENGTH = 4_096;

export interface Unsubscriber {
  applicationId: Id;
  /** The family and address; see `consentKey`. */
  key: string;
}

export function unsubscribeAddress(
  signer: Signer,
  publicUrl: string,
  { applicationId, key }: Unsubscriber,
): string {
  const text = Buffer.from(`${applicationId}:${key}`).toString('base64url');
  return `${publicUrl}/unsubscribe/${text}.${signer.sign(PURPOSE, text)}`;
}

/** Undefined if the token is not ours. */
export function readUnsubscribeToken(signer: Signer, token: string): Unsubscriber | undefined {
  if (token.length > MAX_UNSUBSCRIBE_TOKEN_LENGTH) return undefined;
  const [, text = '', signature = ''] = /^([\w-]+)\.([\w.~=-]+)$/.exec(token) ?? [];
  if (text === '' || !signer.isSigned(PURPOSE, text, signature)) return undefined;
  const [, id, key] = /^(\d+):(.+)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const applicationId = parseId(id);
  return applicationId === undefined || key === undefined ? undefined : { applicationId, key };
}
