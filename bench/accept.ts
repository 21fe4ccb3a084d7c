import autocannon from 'autocannon';

import { EXAMPLE_ACTIVITY } from '../src/http/activity.ts';
import { runCommand, startProcess, type Running } from './processes.ts';

/** Something that takes POST /1/message. */
export interface Target {
  name: string;
  running: Running;
  headers: Record<string, string>;
  body: string;
  /** How many messages it says it has taken; undefined when it keeps nothing. */
  stored(): Promise<number | undefined>;
}

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

export async function bareTarget(): Promise<Target> {
  return {
    name: 'bare Fastify POST',
    running: await startProcess('bench/bare.ts', []),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: EXAMPLE_ACTIVITY }),
    stored: async () => undefined,
  };
}

/** The service with an application that has one integration, ready to be sent to. */
export async function serviceTarget(
  name: string,
  environment: Record<string, string>,
): Promise<Target> {
  const settings = { SWITCHBOARD_PORT: '0', SWITCHBOARD_LOG_LEVEL: 'warn', ...environment };
  const running = await startProcess('bin/switchboard.js', ['serve'], {
    ...settings,
    SWITCHBOARD_LOG_LEVEL: 'info',
  });
  const userToken = await runCommand(['token'], settings);
  const call = async (path: string, token: string, body?: unknown) => {
    const response = await fetch(running.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: number; team_id: number; token: string };
  };
  const me = await call('/1/users/me', userToken);
  const application = await call('/1/applications', userToken, {
    team_id: me.team_id,
    owner_id: me.id,
    state: 'enable',
  });
  const { token } = await call(`/1/applications/${application.id}/tokens`, userToken, {});
  const integration = await call('/1/integrations', token, {
    application_id: application.id,
    name: 'telegram',
    state: 'enable',
    token: '110201543:bench',
  });
  const generator = { ...EXAMPLE_ACTIVITY.generator, id: String(integration.id) };
  return {
    name,
    running,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ message: { ...EXAMPLE_ACTIVITY, generator } }),
    async stored() {
      const metrics = await (await fetch(`${running.url}/metrics`)).text();
      return Number(/^switchboard_messages_accepted_total (\d+)/m.exec(metrics)?.[1]);
    },
  };
}

/** Fires at a target for some seconds, and checks that every answer was a 202 and every 202 was stored. */
export async function measure(
  target: Target,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = (await target.stored()) ?? 0;
  const result = await autocannon({
    url: `${target.running.url}/1/message`,
    method: 'POST',
    headers: target.headers,
    body: target.body,
    connections,
    duration: seconds,
    workers: 1,
  });
  const answered = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${target.name}: ${result.non2xx} refused, ${result.errors} errors`);
  }
  const after = await target.stored();
  if (after !== undefined && after - before < answered) {
    throw new Error(`${target.name}: ${answered} answered, but ${after - before} stored`);
  }
  return {
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
