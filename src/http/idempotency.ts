import { type Hash, createHash } from 'node:crypto';

import type { AcceptedMessage } from '../accept/accepted.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Principal } from '../model/account.ts';
import type { Id } from '../model/id.ts';
import type { Message } from '../model/message.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import { readInstructions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';
import type { IdempotencyKey } from '../store/engine.ts';
import { AlreadyAnswered } from '../store/faults.ts';
import type { EarlierAnswer, IdempotencyRecord } from '../store/messages/idempotency.ts';
import type { Store } from '../store/store.ts';
import type { Answer } from './server/route.ts';
import { acceptedAnswer } from './views/views.ts';

const MAX_KEY_LENGTH = 255;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** The hash of a request, to be updated with its body. Equivalent spellings of the path count as the same request. */
export function requestHash(address: string): Hash {
  const at = address.indexOf('?');
  const [path, query] = at === -1 ? [address, '?'] : [address.slice(0, at), address.slice(at)];
  const url = path.replace(/\/$/, '') + query;
  return createHash('sha256').update(url).update('\n');
}

/** Reads the Idempotency-Key of a request with this hash. Keys are scoped to the caller and route. */
export function idempotencyKey(
  key: string,
  caller: Principal,
  route: string,
  hash: string,
): IdempotencyKey {
  if (key.length > MAX_KEY_LENGTH || !PRINTABLE.test(key)) {
    throw invalidFields({
      pointer: '',
      detail: `Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable characters without spaces`,
    });
  }
  const tenantId = caller.kind === 'user' ? caller.teamId : caller.applicationId;
  return { tenantId, scope: `${ownerOf(caller)} ${route}`, key, hash };
}

/** A user who acts for an application does not share its keys. */
function ownerOf(caller: Principal): string {
  if (caller.kind === 'user') return `user:${caller.userId}`;
  const application = `application:${caller.applicationId}`;
  return caller.userId === undefined ? application : `${application} user:${caller.userId}`;
}

/** Executes a request with an Idempotency-Key once, and returns the same answer to every repetition. */
export class IdempotentRequests {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #inFlight = new Set<string>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The record to store in the transaction of the effect. */
  record(key: IdempotencyKey, answer: Answer): IdempotencyRecord {
    return this.#store.idempotency.seal(key, JSON.stringify(answer), this.#clock.now());
  }

  /**
   * Runs the request, or returns the stored answer. `run` returns whether it stored its answer together with the
   * effect; if not, this method stores it.
   */
  async run(
    key: IdempotencyKey,
    caller: Principal,
    run: () => Promise<{ answer: Answer; recorded: boolean }>,
  ): Promise<Answer> {
    const name = `${key.scope} ${key.key}`;
    if (this.#inFlight.has(name)) {
      throw new Problem(
        'idempotency_in_flight',
        `the first request with the key "${key.key}" is still in progress`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#inFlight.add(name);
    try {
      const earlier = await this.#store.idempotency.get(key);
      if (earlier) return await this.#replay(key, earlier, caller);
      return await this.#runFirst(key, caller, run);
    } finally {
      this.#inFlight.delete(name);
    }
  }

  async #runFirst(
    key: IdempotencyKey,
    caller: Principal,
    run: () => Promise<{ answer: Answer; recorded: boolean }>,
  ): Promise<Answer> {
    try {
      const { answer, recorded } = await run();
      if (!recorded) await this.#store.idempotency.put(this.record(key, answer));
      return answer;
    } catch (error) {
      // Another node stored its answer first: return that one.
      if (!(error instanceof AlreadyAnswered)) throw error;
      const earlier = await this.#store.idempotency.get(key);
      if (!earlier) throw error;
      return this.#replay(key, earlier, caller);
    }
  }

  async #replay(key: IdempotencyKey, earlier: EarlierAnswer, caller: Principal): Promise<Answer> {
    if (earlier.hash !== key.hash) {
      throw new Problem(
        'idempotency_key_reused',
        `the key "${key.key}" was used with another body or path`,
      );
    }
    if (earlier.answer !== undefined) return JSON.parse(earlier.answer) as Answer;
    if (caller.kind !== 'application') throw new Error('only applications send messages');
    const first = new Map(earlier.messages?.map(({ id, sendAt }) => [id, sendAt]));
    const messages = await this.#store.messages.getAll(caller.applicationId, [...first.keys()]);
    const accepted: AcceptedMessage[] = [];
    for (const message of messages) {
      const { id, createdAt, applicationId } = message;
      const sendAt = first.get(id) ?? null;
      const state = acceptedState(message, createdAt, sendAt);
      const integrationId = await this.#firstIntegration(message);
      const { contact: chosen } = readInstructions(message.instructions);
      const contact = chosen && { ...chosen, to: message.recipient };
      accepted.push({ id, createdAt, integrationId, applicationId, state, sendAt, contact });
    }
    return acceptedAnswer(accepted, key.scope.endsWith('/1/message'));
  }

  /** The integration in the first response: another route may have started since. */
  async #firstIntegration(message: Message): Promise<Id> {
    const { applicationId, id, route, integrationId } = message;
    if (route === null) return integrationId;
    const routes = await this.#store.routes.list(applicationId, id);
    return routes.find(({ state }) => state !== 'skipped')?.integrationId ?? integrationId;
  }
}

/** The state in the first response. A refused message was never started, or was settled when it was created. */
function acceptedState(
  { state, starts, settledAt }: Pick<Message, 'state' | 'starts' | 'settledAt'>,
  createdAt: Millis,
  sendAt: Millis | null,
): AcceptedMessage['state'] {
  if (state === 'suppressed' && starts === 0) return state;
  if (state === 'failed' && settledAt === createdAt) return state;
  return sendAt === null ? 'queued' : 'scheduled';
}
