import { isUniqueViolation } from '../faults.ts';

/** Another contact has the external id or the address, or this one has too many. Thrown to end the transaction, and returned. */
export class ContactRefusal extends Error {
  readonly what: 'external_id' | 'address' | 'too_many';
  /** The position of the address in the request. */
  readonly position: number;

  constructor(what: ContactRefusal['what'], position = 0) {
    super(what);
    this.what = what;
    this.position = position;
  }
}

export async function orRefusal<Result>(
  change: () => Promise<Result>,
): Promise<Result | ContactRefusal> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ContactRefusal) return error;
    // Another request took it at the same time.
    if (isUniqueViolation(error)) return new ContactRefusal('external_id');
    throw error;
  }
}
