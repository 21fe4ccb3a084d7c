import type { FetchAnswer } from '../lib/fetch.ts';
import type { Failure, Outcome } from './channel.ts';

/*
 * Successes (2xx) without what the vendor documents, an id or an error of its own. None is worth another attempt: the
 * vendor would answer the same, and the message may be out.
 */

export const isSuccess = ({ status }: Pick<FetchAnswer, 'status'>): boolean =>
  status >= 200 && status < 300;

type ForeignAnswer = { outcome: 'permanent'; blame: 'credentials'; detail: string; code: string };

/**
 * A success that is neither empty nor JSON, such as the HTML page of a mistyped server: a configuration fault.
 * Undefined for every other answer, and for one that does not say what it is: that is no other form than the channel's,
 * unless it begins as a page does.
 */
export function foreignAnswer(answer: FetchAnswer): ForeignAnswer | undefined {
  const said = answer.header('content-type') ?? '';
  // By its beginning, since a long answer is read in part, and some vendors call JSON plain text.
  const isVendorForm = /json|javascript/i.test(said) || /^\s*(?:[{[]|$)/.test(answer.text);
  const isUnsaid = said === '' && !/^\s*</.test(answer.text);
  if (!isSuccess(answer) || isVendorForm || isUnsaid) return undefined;
  const type = said === '' ? 'a page' : said;
  const code = String(answer.status);
  const detail = `the server answered ${code} with ${type} instead of JSON: this is not the channel's API`;
  return { outcome: 'permanent', blame: 'credentials', detail, code };
}

/** An answer, or what stands for one where nothing was asked. */
type Answered = FetchAnswer | Failure | string | undefined;

/**
 * The outcome of a send whose answer could not be read: `failure`, unless it was a success in which the channel found
 * no error. That counts as sent, with a warning. The code of a failure is the status where the vendor named none.
 */
export function sentUnlessRefused(answer: Answered, failure: Failure, id?: string): Outcome {
  const isAnswer = typeof answer === 'object' && 'status' in answer;
  if (!isAnswer || !isSuccess(answer) || failure.outcome !== 'transient') return failure;
  if (failure.code !== String(answer.status)) return failure;
  const detail = `the channel answered ${failure.code} without an id: it counts as sent`;
  return { outcome: 'sent', ...(id !== undefined && { id }), detail };
}
