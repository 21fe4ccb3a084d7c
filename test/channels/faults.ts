import type { Accident, Reply, Request } from '../emulators/server/http.ts';
import type { Case } from './suite.ts';

/* What happens to every channel that speaks HTTP, and means the same to all of them. */

export const transient = (maybeSent: boolean, code?: string) => ({
  outcome: 'transient' as const,
  maybeSent,
  ...(code !== undefined && { code }),
});

type HttpCase = Case<Request, Reply | Accident>;

/** There is no answer, though the request may have been read. */
export const WITHOUT_ANSWER: readonly HttpCase[] = [
  ...(['reset', 'close', 'garbage'] as const).map((accident): HttpCase => ({
    it: `tries again after an answer that is none: ${accident}`,
    answers: [accident],
    outcome: { ...transient(true), detail: '127.0.0.1' },
  })),
  {
    it: 'tries again when there is no answer in time',
    answers: ['hang'],
    patience: 500,
    outcome: { ...transient(true), detail: 'took too long' },
  },
];

/** Successes that hold neither an id nor an error. None is worth another attempt. */
export const WITHOUT_SENSE: readonly HttpCase[] = [
  {
    it: 'takes an empty success for sent',
    answers: [{ status: 202, body: '' }],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'takes JSON without an id or an error for sent',
    answers: [{ status: 200, body: {} }],
    outcome: { outcome: 'sent', detail: '200' },
  },
  {
    it: 'takes a success that does not say what it is for sent',
    answers: [{ status: 200, body: 'OK' }],
    outcome: { outcome: 'sent', detail: '200' },
  },
  {
    it: 'takes a page that does not say what it is for the answer of another server',
    answers: [{ status: 200, body: '<!doctype html><h1>Hello' }],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '200' },
  },
  {
    it: 'takes a success in HTML for the answer of another server',
    answers: ['html'],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '200', detail: 'text/html' },
  },
];
