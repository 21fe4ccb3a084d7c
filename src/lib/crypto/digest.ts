import { createHash } from 'node:crypto';

/** SHA-256 of a random secret. The store keeps only this hash, so reading the store does not reveal the secret. */
export const digest = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');
