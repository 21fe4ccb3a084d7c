import type { Id } from '../../model/id.ts';
import type { Pool, PoolMember } from '../../model/sending/pool.ts';
import type { Millis } from '../../model/timestamp.ts';

export type PoolRow = Omit<Pool, 'members'>;

export interface PoolMemberRow extends PoolMember {
  applicationId: Id;
  poolId: Id;
  position: number;
}

/** The member assigned to a recipient of the pool. */
export interface PoolRecipient {
  applicationId: Id;
  poolId: Id;
  recipient: string;
  integrationId: Id;
  updatedAt: Millis;
}
