import type { Signer } from '../../compose/media-urls.ts';

const PURPOSE = 'message token';
/** 96 bits: too many to guess by sending emails. */
const TOKEN_LENGTH = 16;

/**
 * A text that only we and the recipient of a message know, for ids that reports quote without a signature. The same at
 * every attempt, unless the key ring was rotated in between.
 */
export function messageToken(signer: Pick<Signer, 'sign'>, key: string): string {
  const signature = signer.sign(PURPOSE, key);
  return signature.slice(signature.lastIndexOf('.') + 1).slice(0, TOKEN_LENGTH);
}
