import { digest } from '../../lib/crypto/digest.ts';
import { networkOf } from '../../lib/net/client-network.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { Limiter } from '../../lib/runtime/limiter.ts';
import type { Invitation, UserPrincipal } from '../../model/account.ts';
import { parseId } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Store } from '../../store/store.ts';
import { requireNoWait } from './sign-in.ts';
import { generateSecret } from './tokens.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Wrong codes from one address: 50 at once, then one every six seconds. */
const GUESSES_PER_SECOND = 1 / 6;
const GUESSES_BURST = 50;

/** Links that let people join a team: created by its owner, valid once. */
export class Invitations {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #guesses: Limiter;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#guesses = new Limiter(GUESSES_PER_SECOND, GUESSES_BURST, () => clock.now());
  }

  /** Creates an invitation without storing it, and the code of its link, which is never stored. */
  async create(
    { teamId, userId }: UserPrincipal,
    email: string | null,
    days: number,
  ): Promise<{ invitation: Invitation; code: string }> {
    const secret = generateSecret();
    const now = this.#clock.now();
    const invitation = {
      teamId,
      id: await this.#store.nextId(),
      hash: digest(secret),
      email,
      invitedBy: userId,
      createdAt: now,
      expiresAt: now + days * DAY_MS,
    };
    // The code contains the team id, because every key in the store starts with it.
    return { invitation, code: `${teamId}.${secret}` };
  }

  /** The invitation of a code; throws if it can no longer be accepted. */
  async open(code: string, ip: string): Promise<Invitation> {
    const network = networkOf(ip);
    requireNoWait(this.#guesses.take(network));
    const [team, secret] = code.split('.', 2);
    const teamId = parseId(team);
    const found =
      teamId && secret
        ? await this.#store.invitations.find(teamId, digest(secret), this.#clock.now())
        : undefined;
    if (!found) throw invalidInvitation();
    this.#guesses.giveBack(network);
    return found;
  }
}

export function invalidInvitation(): Problem {
  return new Problem('invitation_invalid', 'the invitation was used, was revoked or has expired');
}
