import type { AuditEntry } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

export interface AuditFilter extends PageOptions {
  /** An action such as `application.deleted`, or a kind of object such as `application` for all its actions. */
  action?: string;
  /** Only changes by this user or application. */
  actor_id?: number;
  /** Only changes to this object. */
  subject_id?: number;
  /** Only changes to this application and its objects. */
  application_id?: number;
  created_after?: string;
  created_before?: string;
}

/** The audit log of the team. Needs a user token. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The entries, newest first. */
  list(query: AuditFilter = {}, options?: CallOptions): List<AuditEntry> {
    return listOf(this.#transport, 'GET /1/audit', { query }, options);
  }
}
