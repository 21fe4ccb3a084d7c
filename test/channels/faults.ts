import type { ConnectionFault, Reply, Request } from '../emulators/server/http.ts';
import type { Case } from './suite.ts';

/* Faults that mean the same to every HTTP channel. */

export const transient = (maybeSent: boolean, code?: string) => ({
  outcome: 'transient' as const,
  maybeSent,
  ...(code !== undefined && { code }),
});

type HttpCase = Case<Request, Reply | ConnectionFault>;

/** No response, though the vendor may have read the request. */
export const WITHOUT_ANSWER: readonly HttpCase[] = [
  ...(['reset', 'close', 'garbage'] as const).map((connectionFault): HttpCase => ({
    it: `retries after a broken response: ${connectionFault}`,
    answers: [connectionFault],
    outcome: { ...transient(true), detail: '127.0.0.1' },
  })),
  {
    it: 'retries after a timeout',
    answers: ['hang'],
    timeoutMs: 500,
    outcome: { ...transient(true), detail: 'took too long' },
  },
];

/** Successful responses with neither an id nor an error. None is worth another attempt. */
export const WITHOUT_ID: readonly HttpCase[] = [
  {
    it: 'treats an empty success as sent',
    answers: [{ status: 202, body: '' }],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'treats JSON without an id or an error as sent',
    answers: [{ status: 200, body: {} }],
    outcome: { outcome: 'sent', detail: '200' },
  },
  {
    it: 'treats a success without a media type as sent',
    answers: [{ status: 200, body: 'OK' }],
    outcome: { outcome: 'sent', detail: '200' },
  },
  {
    it: 'treats an HTML page without a media type as the response of another server',
    answers: [{ status: 200, body: '<!doctype html><h1>Hello' }],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '200' },
  },
  {
    it: 'treats a success in HTML as the response of another server',
    answers: ['html'],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '200', detail: 'text/html' },
  },
];
