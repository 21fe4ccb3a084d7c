import assert from 'node:assert/strict';

import { Switchboard, SwitchboardError, type SwitchboardOptions } from '../../sdk/src/index.ts';
import type { TestService } from '../support/service/service.ts';

/** A client with a token of the team's owner. */
export function userClient({ url, api }: TestService): Switchboard {
  return new Switchboard({ url, token: api.token ?? '' });
}

/** An application, and a client with its token. */
export async function applicationClient(
  sb: TestService,
  options: Partial<SwitchboardOptions> = {},
): Promise<{ client: Switchboard; applicationId: number }> {
  const { application } = await sb.application();
  const applicationId = Number(application.id);
  const token = await sb.applicationToken(applicationId);
  return { client: new Switchboard({ url: sb.url, token, ...options }), applicationId };
}

/** Adds events to the feed of an application. */
export function append(sb: TestService, applicationId: number, count: number): Promise<void> {
  const data = {
    id: 1,
    application_id: applicationId,
    integration_id: 1,
    state: 'sent',
    to: '1',
    object_id: null,
    channel_ids: [],
    error: null,
  };
  return sb.store.events.append(
    Array.from({ length: count }, () => ({
      applicationId,
      type: 'message.sent' as const,
      data: JSON.stringify(data),
      media: null,
      createdAt: Date.now(),
    })),
  );
}

/** The error of a call that must fail. */
export async function faultOf(call: Promise<unknown>): Promise<SwitchboardError> {
  const error: unknown = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SwitchboardError, String(error));
  return error;
}
