import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';

import type { Arrival } from '../channels/inbound.ts';
import { LEAST_SECRET, isGuest, newGuest, webmessenger } from '../channels/webmessenger.ts';
import type { Clock } from '../lib/clock.ts';
import { numberMember, textMember } from '../lib/member.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { ChatLimits } from './limits.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How long a guest is known by their token; it is renewed whenever they come. */
const GUEST_LASTS = 400 * DAY;
/** How long an identity counts at the most, however late it says that it ends. */
const IDENTITY_LASTS = DAY;
const TICKET_LASTS = 30_000;
/** How far the clock of the application may be from ours. */
const LEEWAY_SECONDS = 5;
const LONGEST_NAME = 200;
const LONGEST_IDENTITY = 4096;

/** Somebody in the chat of an integration. */
export interface Visitor {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** As the application calls them. */
  name?: string;
  /** Whether the application vouches for them. */
  signed: boolean;
  /** Until when they are taken for who they are. */
  until: Millis;
}

type Chat = Pick<Integration, 'id' | 'applicationId'>;

/** A visitor at the door: where they come from is part of it. */
export interface Admitted extends Visitor {
  address: string;
}

export interface VisitorsOptions {
  store: Store;
  clock: Clock;
  limits: ChatLimits;
  /** Stores what happened; resolves when it is on disk. */
  hear(integration: Integration, arrivals: readonly Arrival[]): Promise<void>;
}

/**
 * Tells visitors apart. The id of a visitor is no secret: the application sees it, and so may others. What lets
 * anybody into a conversation is a token, sealed, that only the visitor's own browser has.
 */
export class Visitors {
  readonly #options: VisitorsOptions;

  constructor(options: VisitorsOptions) {
    this.#options = options;
  }

  /** The chat that is open under that number; throws the Problem when there is none. */
  async chat(integrationId: Id | undefined): Promise<Integration> {
    const { integrations } = this.#options.store;
    const found = integrationId && (await integrations.ofChannel(integrationId, webmessenger.name));
    if (!found) throw new Problem('not_found', 'there is no such chat');
    return found;
  }

  /** A visitor comes: by their token, by an identity that the application has signed, or as somebody new. */
  async begin(
    integration: Integration,
    { token, identity }: { token?: string; identity?: string },
    address: string,
  ): Promise<Admitted & { token: string; ticket: string }> {
    const { store, clock, limits, hear } = this.#options;
    if (integration.state !== 'enable') {
      throw new Problem('integration_disabled', 'the chat is closed while it is disabled');
    }
    const wait = limits.take('begin', { address });
    if (wait > 0) throw tooFast(wait);
    const visitor =
      identity === undefined
        ? this.#guest(integration, token)
        : await this.#identified(integration, identity);
    const now = clock.now();
    if (await store.chats.meet(visitor, now)) {
      const from = { id: visitor.visitor, ...named(visitor.name) };
      await hear(integration, [{ what: 'join', key: visitor.visitor, from, at: now }]);
    }
    const admitted = { ...visitor, address };
    const sealed = JSON.stringify(admitted);
    const ends = Math.min(now + TICKET_LASTS, visitor.until);
    return {
      ...admitted,
      token: store.tickets.issue(tokenOf(integration.id), sealed, visitor.until),
      ticket: store.tickets.issue(ticketOf(integration.id), sealed, ends),
    };
  }

  /** Whose token it is. */
  byToken({ id, applicationId }: Chat, token: string): Visitor | undefined {
    const visitor = this.#redeem(tokenOf(id), token);
    // One that was issued long ago does not say it.
    return visitor && { ...visitor, applicationId };
  }

  /** Whose socket is opened with it. */
  async byTicket(integrationId: Id, ticket: string): Promise<Admitted | undefined> {
    const { store, clock } = this.#options;
    const holder = await store.tickets.spend(ticketOf(integrationId), ticket, clock.now());
    return holder === undefined ? undefined : (JSON.parse(holder) as Admitted);
  }

  #redeem(purpose: string, ticket: string): Admitted | undefined {
    const { store, clock } = this.#options;
    const holder = store.tickets.redeem(purpose, ticket, clock.now());
    return holder === undefined ? undefined : (JSON.parse(holder) as Admitted);
  }

  /** A token that is none any more is no fault of the visitor's: they begin anew. */
  #guest(chat: Chat, token: string | undefined): Visitor {
    const until = this.#options.clock.now() + GUEST_LASTS;
    const known = token === undefined ? undefined : this.byToken(chat, token);
    // An identity ends when the application says so, and is not renewed by its token.
    if (known?.signed) return known;
    const { id: integrationId, applicationId } = chat;
    const visitor = known?.visitor ?? newGuest();
    return { applicationId, integrationId, visitor, signed: false, until };
  }

  /** https://www.rfc-editor.org/rfc/rfc7519, and RFC 8725 for what to refuse. */
  async #identified(
    { id: integrationId, applicationId, credentials: { secret = '' } }: Integration,
    identity: string,
  ): Promise<Visitor> {
    const key = Buffer.from(secret);
    if (key.length < LEAST_SECRET) {
      throw refused(`the integration has no secret of at least ${LEAST_SECRET} bytes`);
    }
    if (identity.length > LONGEST_IDENTITY) throw refused('the identity is too long');
    const now = this.#options.clock.now();
    let claims: unknown;
    try {
      const verified = await jwtVerify(identity, key, {
        algorithms: ['HS256'],
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now),
        clockTolerance: LEEWAY_SECONDS,
      });
      claims = verified.payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw refused(
        error instanceof errors.JWTExpired
          ? 'the identity has expired'
          : 'the identity is not valid',
      );
    }
    const visitor = textMember(claims, 'sub') ?? '';
    const wrong = webmessenger.recipient.check(visitor);
    if (wrong !== undefined) throw refused(`its sub ${wrong}`);
    // Nobody may be handed the conversation of somebody else, not even by mistake.
    if (isGuest(visitor)) throw refused('its sub is written as the id of a guest');
    const ends = ((numberMember(claims, 'exp') ?? 0) + LEEWAY_SECONDS) * 1000;
    const name = textMember(claims, 'name')?.slice(0, LONGEST_NAME);
    const until = Math.min(ends, now + IDENTITY_LASTS);
    return { applicationId, integrationId, visitor, ...named(name), signed: true, until };
  }
}

const tokenOf = (integrationId: Id) => `chat ${integrationId}`;
const ticketOf = (integrationId: Id) => `chat-socket ${integrationId}`;
const named = (name: string | undefined) => (name === undefined || name === '' ? {} : { name });

export const refused = (why: string) => new Problem('visitor_refused', why);

export function tooFast(wait: Millis): Problem {
  return new Problem('rate_limited', 'that was more than one visitor may do in a while', {
    headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
  });
}
