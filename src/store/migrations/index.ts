import type { Kysely } from 'kysely';

import type { EngineName } from '../engine.ts';
import * as foundation from './0001-foundation.ts';
import * as delivery from './0002-delivery.ts';
import * as content from './0003-content.ts';
import * as events from './0004-events.ts';
import * as chat from './0005-chat.ts';
import * as clustered from './0006-clustered.ts';
import * as nodes from './0007-nodes.ts';
import * as growth from './0008-growth.ts';
import * as sessions from './0009-sessions.ts';
import * as statistics from './0010-statistics.ts';
import * as invitations from './0011-invitations.ts';
import * as traces from './0012-traces.ts';
import * as jobs from './0013-jobs.ts';
import * as receipts from './0014-receipts.ts';
import * as audit from './0015-audit.ts';
import * as starts from './0016-starts.ts';
import * as requests from './0017-requests.ts';
import * as states from './0018-states.ts';
import * as health from './0019-health.ts';
import * as access from './0020-access.ts';
import * as rings from './0021-rings.ts';
import * as feedTimes from './0022-feed-times.ts';
import * as tenants from './0023-tenants.ts';
import * as tickets from './0024-tickets.ts';
import * as ignored from './0025-ignored.ts';
import * as changes from './0026-changes.ts';

export interface Migration {
  up(db: Kysely<unknown>, engine: EngineName): Promise<void>;
}

/** In order, forward only. A released migration is never changed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-delivery': delivery,
  '0003-content': content,
  '0004-events': events,
  '0005-chat': chat,
  '0006-clustered': clustered,
  '0007-nodes': nodes,
  '0008-growth': growth,
  '0009-sessions': sessions,
  '0010-statistics': statistics,
  '0011-invitations': invitations,
  '0012-traces': traces,
  '0013-jobs': jobs,
  '0014-receipts': receipts,
  '0015-audit': audit,
  '0016-starts': starts,
  '0017-requests': requests,
  '0018-states': states,
  '0019-health': health,
  '0020-access': access,
  '0021-rings': rings,
  '0022-feed-times': feedTimes,
  '0023-tenants': tenants,
  '0024-tickets': tickets,
  '0025-ignored': ignored,
  '0026-changes': changes,
};
