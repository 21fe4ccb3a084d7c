import type { Answer } from '../route.ts';

/** Nothing on these pages comes from elsewhere, or runs. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page that is only for reading. */
export const pageAnswer = (text: string): Answer => ({
  status: 200,
  text,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
});
