import type { Channel } from '../channels/channel.ts';
import { consentAddressOf } from '../channels/consent-address.ts';
import { findChannel } from '../channels/index.ts';
import { secondsIn } from '../lib/text/iso-duration.ts';
import { parseId } from '../model/id.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import type { Condition } from '../model/sending/message-route.ts';
import type { Pool } from '../model/sending/pool.ts';
import type { Millis } from '../model/timestamp.ts';
import { addressVia } from './contacts/resolve.ts';
import type { Draft, RouteRequest } from './draft.ts';
import { membersOf, poolName } from './pools/pool-members.ts';
import { type Candidate, recipientOf, route } from './routing.ts';

/** A route of a draft: the integration, and the draft as this route sends it. */
export interface ResolvedRoute {
  via: string;
  /** The integration, or the first member of the pool. */
  candidate: Candidate;
  /** The enabled members of the pool, if it is one. */
  pool?: { pool: Pool; members: readonly Candidate[] };
  draft: Draft;
  recipient: string;
  until: Condition | null;
  afterMs: Millis | null;
}

const MIN_AFTER_MS = 5_000;
const MAX_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The routes of a draft that has several; throws a Problem for the first invalid one. */
export function resolveRoutes(
  draft: Draft,
  integrations: readonly Candidate[],
  pools: ReadonlyMap<string, Pool> = new Map(),
): ResolvedRoute[] {
  const { routes = [], activity, base = '' } = draft;
  if (activity.type !== 'Create') {
    const detail = `is not for type ${activity.type}, which changes what was sent`;
    throw invalidFields({ pointer: `${base}/routes`, detail });
  }
  if (draft.options) {
    const detail = 'belongs to the routes: each channel has its own options';
    throw invalidFields({ pointer: `${base}/options`, detail });
  }
  const resolved: ResolvedRoute[] = [];
  for (const [i, request] of routes.entries()) {
    const isLast = i === routes.length - 1;
    const pointer = `${base}/routes/${i}`;
    const one = resolveRoute(draft, request, pointer, i, isLast, integrations, pools);
    checkOthers(one, resolved, pointer);
    resolved.push(one);
  }
  return resolved;
}

function resolveRoute(
  draft: Draft,
  request: RouteRequest,
  pointer: string,
  number: number,
  isLast: boolean,
  integrations: readonly Candidate[],
  pools: ReadonlyMap<string, Pool>,
): ResolvedRoute {
  const generator = number === 0 ? draft.activity.generator.id : undefined;
  const name =
    poolName(request.via) ?? (request.via === undefined ? poolName(generator) : undefined);
  const pool = name === undefined ? undefined : pools.get(name);
  const members = name === undefined ? [] : membersOf(name, pool, integrations, `${pointer}/via`);
  const candidate = members[0] ?? candidateOf(draft, request, pointer, number, integrations);
  const messageTo = String(draft.activity.to.id);
  const named = request.to ?? messageTo;
  if (number === 0 && named !== messageTo) {
    const detail = 'contradicts to.id of the message; leave one of them out';
    throw invalidFields({ pointer: `${pointer}/to`, detail });
  }
  const person = draft.people?.get(named);
  const at = `${pointer}/${request.to === undefined ? 'via' : 'to'}`;
  const chosen = person && addressVia(person, candidate, at);
  const recipient = chosen?.recipient ?? named;
  const { template = draft.template } = request;
  const activity = { ...draft.activity, to: { ...draft.activity.to, id: recipient } };
  return {
    via: name === undefined ? String(request.via ?? candidate.id) : `pool:${name}`,
    candidate,
    ...(pool && { pool: { pool, members } }),
    recipient: recipientOf(candidate, activity),
    draft: {
      ...draft,
      activity,
      ...(chosen && { contact: chosen.contact }),
      template,
      options: request.options,
      optionsPointer: `${pointer}/options`,
    },
    ...conditionOf(request, pool ? members : [candidate], recipient, pointer, isLast),
  };
}

function candidateOf(
  { activity, pointer: at }: Draft,
  { via }: RouteRequest,
  pointer: string,
  number: number,
  integrations: readonly Candidate[],
): Candidate {
  const { generator } = activity;
  const isNamed = (generator.name ?? '').trim() !== '';
  const isKnown = integrations.some(({ id }) => id === parseId(generator.id));
  if (via === undefined) {
    if (number === 0) return route(activity, integrations, at);
    throw invalidFields({ pointer: `${pointer}/via`, detail: 'is required' });
  }
  const candidate = candidateVia(String(via), activity, integrations, `${pointer}/via`);
  if (number > 0 || (!isNamed && !isKnown)) return candidate;
  if (route(activity, integrations, at).id === candidate.id) return candidate;
  const detail = 'contradicts the generator of the message; leave one of them out';
  throw invalidFields({ pointer: `${pointer}/via`, detail });
}

/** The integration that `via` names by its id or channel. */
function candidateVia(
  via: string,
  activity: Draft['activity'],
  integrations: readonly Candidate[],
  pointer: string,
): Candidate {
  const id = parseId(via);
  const isId = integrations.some((one) => one.id === id);
  if (!isId && !findChannel(via)) {
    const detail = `is neither an integration of the application nor a channel: ${via}`;
    throw new Problem('no_integration', detail, { errors: [{ pointer, detail }] });
  }
  const generator = { type: activity.generator.type, ...(isId ? { id: via } : { name: via }) };
  try {
    return route({ ...activity, generator }, integrations, '');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The problem is in the route, not in the generator.
    throw new Problem(error.code, error.message, { errors: [{ pointer, detail: error.message }] });
  }
}

function conditionOf(
  { after, until }: RouteRequest,
  candidates: readonly Candidate[],
  recipient: string,
  pointer: string,
  isLast: boolean,
): Pick<ResolvedRoute, 'until' | 'afterMs'> {
  if (isLast) {
    if (after === undefined && until === undefined) return { until: null, afterMs: null };
    const extra = after === undefined ? 'until' : 'after';
    const detail = 'is not for the last route: nothing follows it';
    throw invalidFields({ pointer: `${pointer}/${extra}`, detail });
  }
  if (after === undefined) {
    const detail = 'is required on all routes but the last';
    throw invalidFields({ pointer: `${pointer}/after`, detail });
  }
  const afterMs = durationOf(after);
  if (afterMs === undefined || afterMs < MIN_AFTER_MS || afterMs > MAX_AFTER_MS) {
    const detail = 'must be an ISO 8601 duration from PT5S to P3D, such as PT2M';
    throw invalidFields({ pointer: `${pointer}/after`, detail });
  }
  const condition = until ?? 'sent';
  for (const { channel, mode } of candidates) {
    if (!channel || isReportable(channel, recipient, condition, mode)) continue;
    const detail = `${channel.title} does not report whether a message to this recipient was ${condition}`;
    const errors = [{ pointer: `${pointer}/until`, detail }];
    throw new Problem('condition_unsupported', detail, { errors });
  }
  return { until: condition, afterMs };
}

/** Whether the channel reports that a message was delivered or read. SMS never reports that it was read. */
function isReportable(
  channel: Channel,
  recipient: string,
  condition: Condition,
  mode: Candidate['mode'],
): boolean {
  if (condition === 'sent') return true;
  const { receipts = [] } = channel;
  const family = consentAddressOf(channel, recipient, mode).family.replace(/^sandbox\./, '');
  const hasRead = receipts.includes('read') && family !== 'sms';
  return hasRead || (condition === 'delivered' && receipts.includes('delivered'));
}

/** Milliseconds in a duration of days, or of hours, minutes and seconds. */
export function durationOf(written: string): Millis | undefined {
  const days = /^P([1-9])D$/.exec(written)?.[1];
  if (days !== undefined) return Number(days) * DAY_MS;
  const seconds = secondsIn(written);
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

/** Two routes that reach the same person the same way make no sense, and modes never mix. */
function checkOthers(one: ResolvedRoute, before: readonly ResolvedRoute[], pointer: string): void {
  const { candidate, recipient } = one;
  const idsOf = (each: ResolvedRoute) =>
    (each.pool?.members ?? [each.candidate]).map(({ id }) => id);
  const memberIds = new Set(idsOf(one));
  if (
    before.some(
      (each) => each.recipient === recipient && idsOf(each).some((id) => memberIds.has(id)),
    )
  ) {
    const detail = 'repeats an earlier route';
    throw invalidFields({ pointer, detail });
  }
  const [first] = before;
  if (first && first.candidate.mode !== candidate.mode) {
    const detail = 'mixes sandbox and live integrations';
    throw invalidFields({ pointer: `${pointer}/via`, detail });
  }
}
