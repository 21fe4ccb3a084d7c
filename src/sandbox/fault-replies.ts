import type { SandboxFault } from './faults.ts';
import type { Simulator } from './simulator.ts';
import type { Reply } from './wire/request.ts';

/** A successful answer that ends too early. */
export const CUT_OFF: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"ok":',
};

/** The reports of a delivered message, in order. */
export function receiptsFor(fault: SandboxFault | undefined): ('delivered' | 'read')[] {
  switch (fault) {
    case 'read':
      return ['delivered', 'read'];
    case 'reordered_receipts':
      return ['read', 'delivered'];
    case 'repeated_receipts':
      return ['delivered', 'delivered'];
    case 'no_receipt':
      return [];
    default:
      return ['delivered'];
  }
}

/** The answer of a vendor that refuses; undefined if it does not. */
export function refusalOf(
  simulator: Simulator,
  fault: SandboxFault | undefined,
  seconds: number,
): Reply | undefined {
  switch (fault) {
    case 'blocked':
    case 'unknown':
    case 'limited':
    case 'credentials':
      return simulator.refusals[fault](Math.ceil(seconds));
    case 'server_error':
      return { status: 500, body: 'Internal Server Error' };
    case 'unavailable':
      return { status: 503, body: 'Service Unavailable' };
    default:
      return undefined;
  }
}
