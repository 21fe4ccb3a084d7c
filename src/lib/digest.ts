import { createHash } from 'node:crypto';

/** SHA-256 of a secret that nobody can guess: what is stored of it when only whoever holds it may know it. */
export const digest = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');
