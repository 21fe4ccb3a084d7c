import type { Answer } from '../server/route.ts';

/** No scripts, and nothing from other hosts. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A static page. */
export const pageAnswer = (text: string): Answer => ({
  status: 200,
  text,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
});
