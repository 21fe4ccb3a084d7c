import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';

import type { InboundEvent } from '../channels/inbound.ts';
import { MIN_SECRET_BYTES, isGuest, newGuest, webmessenger } from '../channels/webmessenger.ts';
import { numberMember, textMember } from '../lib/json/json-member.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { ChatLimits } from './limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Lifetime of a guest token, renewed at every visit. */
const GUEST_TTL_MS = 400 * DAY_MS;
/** Maximum lifetime of an identity, whatever its `exp`. */
const IDENTITY_TTL_MS = DAY_MS;
const TICKET_TTL_MS = 30_000;
/** Tolerance for the application's clock. */
const LEEWAY_SECONDS = 5;
const MAX_NAME_LENGTH = 200;
const MAX_IDENTITY_LENGTH = 4096;

/** A visitor of the chat of an integration. */
export interface Visitor {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** The name given by the application. */
  name?: string;
  /** Whether the application signed the identity. */
  signed: boolean;
  /** When the identity expires. */
  until: Millis;
}

type Chat = Pick<Integration, 'id' | 'applicationId'>;

/** A visitor with the IP address of the request. */
export interface ConnectedVisitor extends Visitor {
  address: string;
}

interface VisitorsOptions {
  store: Store;
  clock: Clock;
  limits: ChatLimits;
  /** Stores inbound events; resolves when they are on disk. */
  receive(integration: Integration, inboundEvents: readonly InboundEvent[]): Promise<void>;
}

/**
 * Identifies visitors. A visitor id is public: the application and others see it. Access to a conversation
 * needs an encrypted token that only the visitor's browser has.
 */
export class Visitors {
  readonly #options: VisitorsOptions;

  constructor(options: VisitorsOptions) {
    this.#options = options;
  }

  /** The chat with this id; throws if there is none. */
  async chat(integrationId: Id | undefined): Promise<Integration> {
    const { integrations } = this.#options.store;
    const found = integrationId && (await integrations.ofChannel(integrationId, webmessenger.name));
    if (!found) throw new Problem('not_found', 'the chat does not exist');
    return found;
  }

  /** Starts a session by token, by signed identity, or as a new guest. */
  async begin(
    integration: Integration,
    { token, identity }: { token?: string; identity?: string },
    address: string,
  ): Promise<ConnectedVisitor & { token: string; ticket: string }> {
    const { store, clock, limits, receive } = this.#options;
    if (integration.state !== 'enable') {
      throw new Problem('integration_disabled', 'the chat is disabled');
    }
    const wait = limits.take('begin', { address });
    if (wait > 0) throw tooFast(wait);
    const visitor =
      identity === undefined
        ? this.#guest(integration, token)
        : await this.#identified(integration, identity);
    const now = clock.now();
    if (await store.chats.addVisitor(visitor, now)) {
      const from = { id: visitor.visitor, ...named(visitor.name) };
      await receive(integration, [{ what: 'join', key: visitor.visitor, from, at: now }]);
    }
    const connected = { ...visitor, address };
    const holder = JSON.stringify(connected);
    const ends = Math.min(now + TICKET_TTL_MS, visitor.until);
    return {
      ...connected,
      token: store.tickets.issue(tokenOf(integration.id), holder, visitor.until),
      ticket: store.tickets.issue(ticketOf(integration.id), holder, ends),
    };
  }

  /** The visitor of a token. */
  byToken({ id, applicationId }: Chat, token: string): Visitor | undefined {
    const visitor = this.#redeem(tokenOf(id), token);
    // Older tokens lack the application id.
    return visitor && { ...visitor, applicationId };
  }

  /** The visitor of a socket ticket. */
  async byTicket(integrationId: Id, ticket: string): Promise<ConnectedVisitor | undefined> {
    const { store, clock } = this.#options;
    const holder = await store.tickets.spend(ticketOf(integrationId), ticket, clock.now());
    return holder === undefined ? undefined : (JSON.parse(holder) as ConnectedVisitor);
  }

  #redeem(purpose: string, ticket: string): ConnectedVisitor | undefined {
    const { store, clock } = this.#options;
    const holder = store.tickets.redeem(purpose, ticket, clock.now());
    return holder === undefined ? undefined : (JSON.parse(holder) as ConnectedVisitor);
  }

  /** A visitor with an invalid token becomes a new guest. */
  #guest(chat: Chat, token: string | undefined): Visitor {
    const until = this.#options.clock.now() + GUEST_TTL_MS;
    const known = token === undefined ? undefined : this.byToken(chat, token);
    // The expiry of a signed identity is set by the application; the token does not extend it.
    if (known?.signed) return known;
    const { id: integrationId, applicationId } = chat;
    const visitor = known?.visitor ?? newGuest();
    return { applicationId, integrationId, visitor, signed: false, until };
  }

  /** Verifies a JWT: https://www.rfc-editor.org/rfc/rfc7519, and RFC 8725 for what to reject. */
  async #identified(
    { id: integrationId, applicationId, credentials: { secret = '' } }: Integration,
    identity: string,
  ): Promise<Visitor> {
    const key = Buffer.from(secret);
    if (key.length < MIN_SECRET_BYTES) {
      throw refused(`the integration has no secret of at least ${MIN_SECRET_BYTES} bytes`);
    }
    if (identity.length > MAX_IDENTITY_LENGTH) throw refused('the identity is too long');
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
        error instanceof errors.JWTExpired ? 'the identity has expired' : 'the identity is invalid',
      );
    }
    const visitor = textMember(claims, 'sub') ?? '';
    const wrong = webmessenger.recipient.validate(visitor);
    if (wrong !== undefined) throw refused(`sub ${wrong}`);
    // A signed identity must never take over a guest's conversation, not even by mistake.
    if (isGuest(visitor)) throw refused('sub has the format of a guest id');
    const ends = ((numberMember(claims, 'exp') ?? 0) + LEEWAY_SECONDS) * 1000;
    const name = textMember(claims, 'name')?.slice(0, MAX_NAME_LENGTH);
    const until = Math.min(ends, now + IDENTITY_TTL_MS);
    return { applicationId, integrationId, visitor, ...named(name), signed: true, until };
  }
}

const tokenOf = (integrationId: Id) => `chat ${integrationId}`;
const ticketOf = (integrationId: Id) => `chat-socket ${integrationId}`;
const named = (name: string | undefined) => (name === undefined || name === '' ? {} : { name });

export const refused = (why: string) => new Problem('visitor_refused', why);

export function tooFast(wait: Millis): Problem {
  return new Problem('rate_limited', 'too many requests from this visitor', {
    headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
  });
}
