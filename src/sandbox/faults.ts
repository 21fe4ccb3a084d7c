import type { Millis } from '../model/timestamp.ts';

/*
 * Everything that a vendor can do wrong, on demand: by sending to a magic address, whose number is the position in this
 * list, or by a standing behaviour of the integration.
 */
export const SANDBOX_FAULTS = {
  read: 'Delivered, then read.',
  blocked: 'The person has blocked the sender.',
  unknown: 'The address does not exist.',
  limited: 'The first message is rate limited for 30 seconds.',
  server_error: 'The vendor answers 500.',
  unavailable: 'The vendor answers 503.',
  lost_answer: 'The first message arrives, but its answer is lost. The retry is answered.',
  slow: 'The vendor answers after 5 seconds.',
  malformed: 'The message arrives, but its answer is cut off. It counts as sent, without an id.',
  credentials:
    'The vendor refuses the credentials once, which pauses the integration until a check passes.',
  late_receipt: 'The delivery report arrives after 60 seconds.',
  reordered_receipts:
    'The report that the message was read arrives before the report of its delivery.',
  repeated_receipts: 'Each delivery report arrives twice.',
  no_receipt: 'No delivery report arrives.',
  repeated_webhook: 'The person answers, and the webhook request arrives twice.',
  reordered_webhooks: 'The person answers twice, and the webhook requests arrive in reverse order.',
  outage: 'The vendor answers nobody for ten minutes, then delivers the message.',
  stop: 'The person answers STOP.',
} as const;

export type SandboxFault = keyof typeof SANDBOX_FAULTS;

export const SANDBOX_FAULT_NAMES = Object.keys(SANDBOX_FAULTS) as [SandboxFault, ...SandboxFault[]];

export const LIMIT_SECONDS = 30;
const OUTAGE_SECONDS = 600;
export const SLOW_MS = 5_000;
export const LATE_RECEIPT_MS = 60_000;

/** A fault that applies until it is removed. */
export interface Behaviour {
  /** The address that it applies to; every address without one. */
  to?: string;
  fault: SandboxFault;
  /** When it ends on its own. */
  until?: Millis;
  /** How many more messages it applies to; requests without a recipient do not count, and do not get it. */
  times?: number;
}

/** A magic address whose fault has happened, and when the fault ends. */
interface SpentFault {
  to: string;
  fault: SandboxFault;
  until: Millis;
}

/** `standing` applies until it is removed; `spent` are the magic addresses whose fault has already happened. */
export interface Behaviours {
  standing: readonly Behaviour[];
  spent: readonly SpentFault[];
}

export const MAX_BEHAVIOURS = 100;
export const MAX_TIMES = 1_000;

export function readBehaviours(stored: string | null): Behaviours {
  return stored === null ? { standing: [], spent: [] } : (JSON.parse(stored) as Behaviours);
}

export function writeBehaviours({ standing, spent }: Behaviours): string | null {
  if (standing.length + spent.length === 0) return null;
  return JSON.stringify({ standing, spent: spent.slice(-MAX_BEHAVIOURS) });
}

export const isBlockedBy = ({ standing }: Behaviours, address: string): boolean =>
  standing.some(({ to, fault }) => to === address && fault === 'blocked');

/** The behaviours after a person has blocked the sender, or no longer does. */
export function withBlocked(
  { standing, spent }: Behaviours,
  to: string,
  isBlocked: boolean,
): Behaviours {
  const others = standing.filter((each) => each.to !== to || each.fault !== 'blocked');
  const added = isBlocked ? [{ to, fault: 'blocked' } as const] : [];
  return { standing: [...added, ...others].slice(0, MAX_BEHAVIOURS), spent };
}

/** `001` to `018`. */
export function numberOf(fault: SandboxFault): string {
  return String(SANDBOX_FAULT_NAMES.indexOf(fault) + 1).padStart(3, '0');
}

interface MagicAddresses {
  magicAddress(number: string): string;
}

/** The fault that this address triggers. */
function magicFault(simulator: MagicAddresses, address: string): SandboxFault | undefined {
  return SANDBOX_FAULT_NAMES.find((fault) => simulator.magicAddress(numberOf(fault)) === address);
}

/** The duration of the faults that happen only once per magic address, so that a retry succeeds. */
const ONE_TIME_SECONDS: Partial<Record<SandboxFault, number>> = {
  limited: LIMIT_SECONDS,
  outage: OUTAGE_SECONDS,
  lost_answer: 0,
  credentials: 0,
};

export interface FaultDecision {
  fault: SandboxFault | undefined;
  /** The seconds until it ends, if it does. */
  seconds: number;
  /** Set if they changed. */
  behaviours?: Behaviours;
}

/**
 * The fault of a request, and the behaviours after it. Requests without a recipient, such as a check of the credentials,
 * get only faults that apply to every address.
 */
export function judge(
  simulator: MagicAddresses,
  behaviours: Behaviours,
  to: string | undefined,
  now: Millis,
): FaultDecision {
  const active = behaviours.standing.find(
    (each) =>
      (each.until === undefined || each.until > now) &&
      (each.to === undefined || each.to === to) &&
      (each.times === undefined || to !== undefined),
  );
  const outage = behaviours.spent.find(({ fault, until }) => fault === 'outage' && until > now);
  if (outage) return { fault: 'outage', seconds: (outage.until - now) / 1000 };
  if (active) {
    const seconds = active.until === undefined ? LIMIT_SECONDS : (active.until - now) / 1000;
    const { fault, times } = active;
    if (times === undefined) return { fault, seconds };
    const standing = behaviours.standing.flatMap((each) => {
      if (each !== active) return [each];
      return times > 1 ? [{ ...each, times: times - 1 }] : [];
    });
    return { fault, seconds, behaviours: { ...behaviours, standing } };
  }
  const fault = to === undefined ? undefined : magicFault(simulator, to);
  if (to === undefined || fault === undefined) return { fault: undefined, seconds: 0 };
  const lasts = ONE_TIME_SECONDS[fault];
  if (lasts === undefined) return { fault, seconds: LIMIT_SECONDS };
  const { spent } = behaviours;
  const before = spent.find((each) => each.to === to);
  if (before && before.until > now) return { fault, seconds: (before.until - now) / 1000 };
  const others = spent.filter((each) => each.to !== to);
  if (before) return { fault: undefined, seconds: 0, behaviours: { ...behaviours, spent: others } };
  const until = now + lasts * 1000;
  const left = { ...behaviours, spent: [...others, { to, fault, until }] };
  return { fault, seconds: lasts, behaviours: left };
}
