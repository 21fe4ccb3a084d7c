import type { Id } from '../../model/id.ts';
import type { StoredWindow } from '../../model/sending/window.ts';

/** The time until which the vendor accepts free text to an address. */
export interface WindowRow extends StoredWindow {
  applicationId: Id;
  integrationId: Id;
  address: string;
}
