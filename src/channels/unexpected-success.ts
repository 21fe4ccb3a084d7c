import type { FetchAnswer } from '../lib/http/fetch.ts';
import type { Failure, Outcome } from './channel.ts';

/*
 * Successful responses (2xx) without the documented content, an id or a vendor error. They are not retried: the
 * vendor would respond the same, and the message may have been sent.
 */

export const isSuccess = ({ status }: Pick<FetchAnswer, 'status'>): boolean =>
  status >= 200 && status < 300;

type ForeignAnswer = { outcome: 'permanent'; blame: 'credentials'; detail: string; code: string };

/**
 * A successful response that is neither empty nor JSON, such as the HTML page of a mistyped server: a configuration
 * error. Undefined for all other responses, and for one without a content type, unless it begins like an HTML page.
 */
export function foreignAnswer(answer: FetchAnswer): ForeignAnswer | undefined {
  const contentType = answer.header('content-type') ?? '';
  // Goes by the first characters, since long responses are read in part, and some vendors label JSON as plain text.
  const isVendorForm = /json|javascript/i.test(contentType) || /^\s*(?:[{[]|$)/.test(answer.text);
  const isUntyped = contentType === '' && !/^\s*</.test(answer.text);
  if (!isSuccess(answer) || isVendorForm || isUntyped) return undefined;
  const type = contentType === '' ? 'a page' : contentType;
  const code = String(answer.status);
  const detail = `the server answered ${code} with ${type} instead of JSON; check the server address`;
  return { outcome: 'permanent', blame: 'credentials', detail, code };
}

/** A response, or its substitute where no request was made. */
type CallResult = FetchAnswer | Failure | string | undefined;

/**
 * The outcome of a send whose response could not be parsed: `failure`, unless the response was a success without a
 * vendor error. That counts as sent, with a warning. The code of a failure defaults to the HTTP status.
 */
export function sentUnlessRefused(answer: CallResult, failure: Failure, id?: string): Outcome {
  const isAnswer = typeof answer === 'object' && 'status' in answer;
  if (!isAnswer || !isSuccess(answer) || failure.outcome !== 'transient') return failure;
  if (failure.code !== String(answer.status)) return failure;
  const detail = `the channel answered ${failure.code} without a message ID; the message counts as sent`;
  return { outcome: 'sent', ...(id !== undefined && { id }), detail };
}
