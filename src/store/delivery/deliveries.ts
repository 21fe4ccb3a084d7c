import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Credentials } from '../../model/integration.ts';
import { type Message, isSent } from '../../model/message.ts';
import { type SentPart, readParts } from '../../model/sending/sent-part.ts';
import { OPEN } from '../messages/transitions.ts';
import { SealedRepository } from '../repository.ts';
import { objectHistory } from '../routes/object-history.ts';
import type {
  IntegrationStatus,
  ClaimedMessage,
  DispatchRound,
  DispatchResult,
} from './dispatch-round.ts';
import { openCredentials } from './integrations.ts';
import type { OwnedIntegration } from './ownerships.ts';

const MAX_PER_STATEMENT = 500;

/** Maximum number of changes considered per message. */
const MAX_CHANGES = 50;

/** Selects messages to this recipient before the message with this id. */
interface HistoryScope {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
  id?: Id;
}

/** A message in flight, with the fields needed if its result never arrives. */
export type InFlightMessage = ClaimedMessage &
  Pick<IntegrationStatus, 'name' | 'uncertain'> & {
    /** How many of its last consecutive starts ended with a crashed process. */
    interruptions: number;
  };

/** The recorded outcome of a start whose process ended before the response. */
export const INTERRUPTED = 'interrupted';

const INTERRUPTIONS = sql<number>`(select count(*) from attempts as a
  where a.application_id = m.application_id and a.message_id = m.id
    and a.number > coalesce((select max(o.number) from attempts as o
      where o.application_id = m.application_id and o.message_id = m.id and (o.code is null or o.code <> ${INTERRUPTED})), 0))`;

/** The store's interface for delivery; see DispatchRound. */
export class Deliveries extends SealedRepository {
  dispatch(round: DispatchRound): Promise<DispatchResult> {
    return this.engine.dispatch(round);
  }

  /** The decrypted credentials of an integration. */
  open({ integrationId, credentials }: IntegrationStatus): Credentials {
    return credentials === null ? {} : openCredentials(this.sealer, integrationId, credentials);
  }

  /** Messages in state `sending`, including those whose process ended. */
  async inFlight(owned: readonly OwnedIntegration[]): Promise<InFlightMessage[]> {
    const found: InFlightMessage[] = [];
    for (let i = 0; i < owned.length; i += MAX_PER_STATEMENT) {
      const batch = owned.slice(i, i + MAX_PER_STATEMENT);
      const applicationIds = [...new Set(batch.map((one) => one.applicationId))];
      const integrationIds = batch.map((one): Id => one.integrationId);
      let query = this.db
        .selectFrom('outbox as m')
        .leftJoin('integrations as i', (join) =>
          join
            .onRef('i.applicationId', '=', 'm.applicationId')
            .onRef('i.id', '=', 'm.integrationId'),
        )
        .leftJoin('applications as a', 'a.id', 'm.applicationId')
        .select([
          'm.id',
          'm.applicationId',
          'm.integrationId',
          'm.recipient',
          'm.activity',
          'm.instructions',
          'm.attempts',
          'm.starts',
          'm.partsSent',
          'm.channelIds',
          'm.objectId',
          'm.reason',
          'm.dueAt',
          'm.route',
          'm.createdAt',
          'm.trace',
          'i.name',
          'a.uncertain',
          INTERRUPTIONS.as('interruptions'),
        ])
        .where('m.applicationId', 'in', applicationIds)
        .where('m.integrationId', 'in', integrationIds)
        // Repeats the condition of the partial index outbox_by_state; otherwise SQLite scans all messages of the
        // applications.
        .where(sql<boolean>`m.state = 'sending' and m.state <> 'sent' and m.state <> 'delivered'
          and m.state <> 'read'`)
        .where(OPEN);
      // On PostgreSQL no index contains the state: messages in flight are found through their held lanes.
      if (this.engine.name === 'postgres') {
        query = query.where('m.id', 'in', ({ selectFrom }) =>
          selectFrom('lanes')
            .select('messageId')
            .where('applicationId', 'in', applicationIds)
            .where('integrationId', 'in', integrationIds)
            .where('dueAt', 'is', null),
        );
      }
      found.push(...(await query.execute()));
    }
    return found;
  }

  /**
   * The sent parts of the referenced message, including all edits sent before this message. Undefined if there is no
   * such message; empty if none of it was sent or it was deleted.
   */
  async sentParts(
    { applicationId, integrationId, recipient, id }: HistoryScope,
    name: string,
  ): Promise<SentPart[] | undefined> {
    const place = { applicationId, integrationId, recipient };
    const range = { before: id, order: 'desc', limit: MAX_CHANGES } as const;
    const rows = await objectHistory(this.db, place, name, range);
    return rows.length === 0 ? undefined : currentParts(rows);
  }

  /** The activities that created and changed the referenced message before this one; newest first. */
  async activities(
    { applicationId, integrationId, recipient, id }: HistoryScope,
    name: string,
  ): Promise<string[]> {
    const place = { applicationId, integrationId, recipient };
    const range = { before: id, order: 'desc', limit: MAX_ACTIVITIES } as const;
    const rows = await objectHistory(this.db, place, name, range, IN_EFFECT);
    const first = rows.findIndex(({ type }) => type === 'Create');
    return rows.slice(0, first === -1 ? rows.length : first + 1).map(({ activity }) => activity);
  }
}

const IN_EFFECT = ['queued', 'sending', 'sent', 'delivered', 'read', 'uncertain'] as const;

/** Maximum number of activities read per message. */
const MAX_ACTIVITIES = 10;

type Change = Pick<Message, 'type' | 'state' | 'channelIds' | 'partsSent'>;

/** The parts after all changes, newest first. A failed change replaced only its first parts. */
function currentParts([last, ...before]: readonly Change[]): SentPart[] {
  if (!last) return [];
  const sentParts = readParts(last.channelIds);
  if (last.type === 'Create') return sentParts;
  if (isSent(last.state)) return last.type === 'Delete' ? [] : sentParts;
  // The change failed, completely or after some parts.
  const rest = currentParts(before).slice(last.partsSent);
  return last.type === 'Delete' ? rest : [...sentParts, ...rest];
}
