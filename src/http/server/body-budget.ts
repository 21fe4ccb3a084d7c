import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';

import { Problem } from '../../model/problem.ts';

/*
 * Bodies of callers without a token are buffered before anyone is authenticated. Their total is bounded, and so
 * is each address, so that one client cannot block the others.
 */

const MEBIBYTE = 1024 * 1024;
/** For all callers without a token: web chat visitors and sign-ins. */
export const MAX_ANONYMOUS_BYTES = 64 * MEBIBYTE;
export const MAX_ANONYMOUS_BYTES_PER_ADDRESS = 16 * MEBIBYTE;
/** For vendors, who know the secret path of a webhook and use few addresses. */
export const MAX_HOOK_BYTES = 64 * MEBIBYTE;

interface BodyBudgetLimits {
  total: number;
  perAddress: number;
}

/** Bytes buffered at once, in total and per address. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** Reserves the bytes and returns true, or returns false if the budget is exhausted. */
  reserve(address: string, bytes: number): boolean {
    const held = (this.#held.get(address) ?? 0) + bytes;
    const { total, perAddress } = this.#limits;
    if (this.#total + bytes > total || held > perAddress) return false;
    this.#total += bytes;
    this.#held.set(address, held);
    return true;
  }

  release(address: string, bytes: number): void {
    const held = (this.#held.get(address) ?? 0) - bytes;
    this.#total -= bytes;
    if (held > 0) this.#held.set(address, held);
    else this.#held.delete(address);
  }
}

/** Counts the body of a request as it arrives, until the response; refuses it when the budget is exhausted. */
export function countBody(
  budget: BodyBudget,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
): void {
  const address = request.ip;
  let held = 0;
  const count = (chunk: Buffer) => {
    if (budget.reserve(address, chunk.length)) {
      held += chunk.length;
      return;
    }
    payload.removeListener('data', count);
    // Makes the body parser fail with this error.
    payload.emit('error', budgetExhausted());
  };
  payload.on('data', count);
  reply.raw.once('close', () => budget.release(address, held));
}

function budgetExhausted(): Problem {
  return new Problem('overloaded', 'too many request bytes in flight without a token', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
