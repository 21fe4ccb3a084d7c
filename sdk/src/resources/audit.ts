import type { AuditEntry } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

export interface AuditFilter extends PageOptions {
  /** Such as `application.deleted`, or all that is done to one kind of thing: `application`. */
  action?: string;
  /** Only what this user or application did. */
  actor_id?: number;
  /** Only what was done to this one. */
  subject_id?: number;
  /** Only what was done to this application and what belongs to it. */
  application_id?: number;
  created_after?: string;
  created_before?: string;
}

/** Who changed what in the team. Takes a token of a user. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The newest first. */
  list(query: AuditFilter = {}, options?: CallOptions): List<AuditEntry> {
    return listOf(this.#transport, 'GET /1/audit', { query }, options);
  }
}
