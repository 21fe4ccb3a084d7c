import { type LocalTime, instantOf, isZone, localTime } from '../lib/time/zone.ts';
import { endOf, startOf } from '../model/activity.ts';
import { type FieldError, Problem, invalidFields } from '../model/problem.ts';
import type { Category } from '../model/sending/consent.ts';
import { recipientZone } from '../model/sending/phone-zone.ts';
import type { QuietHours } from '../model/sending/quiet-hours.ts';
import { type Millis, parseDateTime, parseTimestamp, timestamp } from '../model/timestamp.ts';
import { quietAt } from '../store/messages/quiet-hours.ts';
import type { Draft, SendAt } from './draft.ts';

/** Where the zone of a local time comes from. */
export const ZONE_SOURCES = ['request', 'contact', 'phone', 'default_zone'] as const;

export type ZoneSource = (typeof ZONE_SOURCES)[number];

export interface Departure {
  /** Null if it leaves at once. */
  dueAt: Millis | null;
  /** Null if the request has no local time. */
  zoneSource: ZoneSource | null;
  /** Set if it is deferred to the end of quiet hours. */
  reason: 'quiet_hours' | null;
  /** Set if quiet hours refuse it at `dueAt`. */
  refusal: Problem | null;
}

/** Inputs for the departure other than the request. */
export interface DepartureContext {
  consentKey: string | null;
  category: Category | null;
  /** The zone of the contact, if the message names one that has a zone. */
  zone?: string | undefined;
  quietHours: QuietHours;
  now: Millis;
  /** The current time of a scheduled message, for a change that does not set another. */
  current?: Millis;
}

/** The `zone` that means the recipient's own. */
const RECIPIENT = 'recipient';
const MAX_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

type Resolved = { at: Millis; zoneSource: ZoneSource | null } | FieldError;

/** When the message leaves, by `send_at` or the activity's `startTime`; a Problem if they are invalid. */
export function departureOf(draft: Draft, context: DepartureContext): Departure | Problem {
  const { activity, pointer, sendAt, sendAtPointer = '/send_at' } = draft;
  const start = startOf(activity);
  const requested = sendAt === undefined ? undefined : resolve(sendAt, sendAtPointer, context);
  if (requested && 'pointer' in requested) return invalidFields(requested);
  if (requested && start !== undefined && requested.at !== start) {
    const detail = `must be the same time as startTime, ${timestamp(start)}`;
    return invalidFields({ pointer: sendAtPointer, detail });
  }
  const at = requested?.at ?? start ?? context.current;
  const end = endOf(activity) ?? null;
  if (at === undefined) return afterQuietHours(null, end, context, null);
  const place = requested ? sendAtPointer : `${pointer}/startTime`;
  const fault = faultOf(at, place, context) ?? endFault(at, end, `${pointer}/endTime`);
  if (fault) return invalidFields(fault);
  const zoneSource = requested?.zoneSource ?? null;
  return afterQuietHours(at > context.now ? at : null, end, context, zoneSource);
}

/** Applies quiet hours, which may defer or refuse the message. Without `at`, it would leave at once. */
function afterQuietHours(
  at: Millis | null,
  end: Millis | null,
  context: DepartureContext,
  zoneSource: ZoneSource | null,
): Departure {
  const { quietHours, now } = context;
  const quiet = quietAt(quietHours, context, at ?? now);
  if (quiet === undefined) return { dueAt: at, zoneSource, reason: null, refusal: null };
  const refused = (detail: string): Departure => {
    const refusal = new Problem('quiet_hours', detail);
    return { dueAt: at, zoneSource, reason: null, refusal };
  };
  if (quiet === 'refused') {
    return refused("the application's quiet hours refuse messages at this time");
  }
  const { until } = quiet;
  if (end === null || end > until) {
    return { dueAt: until, zoneSource, reason: 'quiet_hours', refusal: null };
  }
  return refused(`the message would expire before the quiet hours end, ${timestamp(until)}`);
}

/** The new time of a scheduled message that keeps its content; a Problem if the time is invalid. */
export function newDeparture(
  sendAt: SendAt,
  expiresAt: Millis | null,
  context: DepartureContext,
): Pick<Departure, 'dueAt' | 'reason'> | Problem {
  const pointer = '/send_at';
  const requested = resolve(sendAt, pointer, context);
  if ('pointer' in requested) return invalidFields(requested);
  const { at } = requested;
  const fault = faultOf(at, pointer, context) ?? endFault(at, expiresAt, pointer);
  if (fault) return invalidFields(fault);
  const leavesAt = Math.max(at, context.now);
  const { dueAt, reason, refusal } = afterQuietHours(leavesAt, expiresAt, context, null);
  return refusal ?? { dueAt, reason };
}

function faultOf(at: Millis, pointer: string, { now }: DepartureContext): FieldError | undefined {
  if (at - now <= MAX_DAYS * DAY_MS) return undefined;
  return { pointer, detail: `must be within ${MAX_DAYS} days` };
}

function endFault(at: Millis, end: Millis | null, pointer: string): FieldError | undefined {
  if (end === null || end > at) return undefined;
  const detail = `the message would expire (endTime, ${timestamp(end)}) before it leaves (${timestamp(at)})`;
  return { pointer, detail };
}

/** The instant of `send_at`, or the invalid field. */
function resolve(sendAt: SendAt, pointer: string, context: DepartureContext): Resolved {
  if (typeof sendAt === 'string') {
    const at = parseDateTime(sendAt);
    const detail = 'must be an ISO 8601 date and time, such as 2026-12-01T09:00:00Z';
    return at === undefined ? { pointer, detail } : { at, zoneSource: null };
  }
  const local = readLocal(sendAt.local);
  if (!local) {
    const detail = 'must be HH:MM, or a date and time such as 2026-12-01T09:00';
    return { pointer: `${pointer}/local`, detail };
  }
  const zoneChoice = zoneOf(sendAt.zone, context);
  if (!zoneChoice) return { pointer: `${pointer}/zone`, detail: unknownZone(sendAt.zone) };
  const { zone, zoneSource } = zoneChoice;
  return { at: instantIn(local, zone, context.now), zoneSource };
}

const unknownZone = (zone: string): string =>
  zone === RECIPIENT
    ? "is unknown for this recipient: name a zone, or set default_zone in the application's policies"
    : 'must be the name of an IANA time zone such as Europe/Berlin, or "recipient"';

function zoneOf(
  zone: string,
  { consentKey, zone: ofContact, quietHours: { defaultZone } }: DepartureContext,
): { zone: string; zoneSource: ZoneSource } | undefined {
  if (zone !== RECIPIENT) return isZone(zone) ? { zone, zoneSource: 'request' } : undefined;
  if (ofContact !== undefined) return { zone: ofContact, zoneSource: 'contact' };
  const phone = recipientZone(consentKey);
  if (phone !== undefined) return { zone: phone, zoneSource: 'phone' };
  return defaultZone === null ? undefined : { zone: defaultZone, zoneSource: 'default_zone' };
}

interface WrittenTime {
  day?: Pick<LocalTime, 'year' | 'month' | 'day'>;
  hour: number;
  minute: number;
}

const LOCAL = /^(?:(\d{4})-(\d{2})-(\d{2})T)?([01]\d|2[0-3]):([0-5]\d)$/;

function readLocal(text: string): WrittenTime | undefined {
  const [, year, month, day, hour, minute] = LOCAL.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const time = { hour: Number(hour), minute: Number(minute) };
  if (year === undefined) return time;
  const isDay = parseTimestamp(text.slice(0, 10)) !== undefined;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  return isDay ? { ...time, day: date } : undefined;
}

/** Without a day, today in the zone, or tomorrow if that is past. A time that occurs twice means the first; see `instantOf`. */
function instantIn({ day, ...time }: WrittenTime, zone: string, now: Millis): Millis {
  if (day) return instantOf({ ...day, ...time }, zone);
  const today = { ...localTime(now, zone), ...time };
  const at = instantOf(today, zone);
  return at >= now ? at : instantOf({ ...today, day: today.day + 1 }, zone);
}
