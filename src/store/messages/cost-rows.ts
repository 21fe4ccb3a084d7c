import type { Id } from '../../model/id.ts';
import type { StoredCost } from '../../model/sending/cost.ts';
import type { Millis } from '../../model/timestamp.ts';

/** The cost of a part of a message, by the channel's id. */
export interface CostRow extends StoredCost {
  applicationId: Id;
  integrationId: Id;
  channelId: string;
  createdAt: Millis;
}

/** The costs of an integration in one hour. */
export interface CostTotal {
  applicationId: Id;
  /** Start of the hour. */
  at: Millis;
  integrationId: Id;
  channel: string;
  currency: string;
  category: string;
  /** 1 if the costs are simulated. */
  sandbox: number;
  /** The number of parts with a reported cost. */
  parts: number;
  amountMicros: number;
}
