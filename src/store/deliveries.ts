import { sql } from 'kysely';

import type { Sealer } from '../lib/seal.ts';
import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';
import type { MessageState } from '../model/message.ts';
import type { Engine } from './engine.ts';
import { openCredentials } from './integrations.ts';
import type { Owned } from './ownerships.ts';
import type { Standing, Taken, Turn, TurnResult } from './turn.ts';

/** How many integrations are asked about at once. */
const ASKED = 500;

/** How many changes that came to nothing are looked behind. */
const MOST_CHANGES = 20;
const WAS_SENT: ReadonlySet<MessageState> = new Set(['sent', 'delivered', 'read', 'uncertain']);

/** A message that is being sent, with what is to be known if nobody ever answers. */
export type UnderWay = Taken & Pick<Standing, 'name' | 'uncertain'>;

/** What delivery does with the store; see Turn. */
export class Deliveries {
  readonly #engine: Engine;
  readonly #sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    this.#engine = engine;
    this.#sealer = sealer;
  }

  turn(turn: Turn): Promise<TurnResult> {
    return this.#engine.turn(turn);
  }

  /** The credentials of an integration, as a turn found them. */
  open({ integrationId, credentials }: Standing): Credentials {
    return credentials === null ? {} : openCredentials(this.#sealer, integrationId, credentials);
  }

  /** The messages that are being sent, or were when whoever sent them ended. */
  async underWay(owned: readonly Owned[]): Promise<UnderWay[]> {
    const found: UnderWay[] = [];
    for (let i = 0; i < owned.length; i += ASKED) {
      const some = owned.slice(i, i + ASKED);
      const rows = await this.#engine.db
        .selectFrom('messages as m')
        .leftJoin('integrations as i', 'i.id', 'm.integrationId')
        .leftJoin('applications as a', 'a.id', 'm.applicationId')
        .select([
          'm.id',
          'm.applicationId',
          'm.integrationId',
          'm.recipient',
          'm.activity',
          'm.attempts',
          'm.starts',
          'm.partsSent',
          'm.channelIds',
          'm.targetId',
          'm.createdAt',
          'i.name',
          'a.uncertain',
        ])
        .where('m.applicationId', 'in', [...new Set(some.map((one) => one.applicationId))])
        .where(
          'm.integrationId',
          'in',
          some.map((one): Id => one.integrationId),
        )
        .where('m.state', '=', sql.lit('sending'))
        .execute();
      found.push(...rows);
    }
    return found;
  }

  /** The channel's ids of a message as it stands, after whatever has changed it. */
  async channelIds(messageId: Id): Promise<string[]> {
    let next: Id | null = messageId;
    for (let hops = 0; next !== null && hops < MOST_CHANGES; hops++) {
      const row = await this.#engine.db
        .selectFrom('messages')
        .select(['state', 'channelIds', 'targetId'])
        .where('id', '=', next)
        .executeTakeFirst();
      if (!row) return [];
      if (row.channelIds !== null && WAS_SENT.has(row.state)) {
        return JSON.parse(row.channelIds) as string[];
      }
      // A change that came to nothing left things as they were.
      next = row.targetId;
    }
    return [];
  }
}
