import { EXAMPLE_ACTIVITY } from '../../src/http/activity.ts';
import { type Running, runCommand, startNode } from './processes.ts';

/** The response fields that the benchmarks use. */
interface Answer {
  id: number;
  team_id: number;
  token: string;
  state: string;
}

/** A running service, and a token to call it with. */
export interface BenchService {
  running: Running;
  userToken: string;
  /** Calls the API as the first user, or with another token. */
  call(path: string, body?: unknown, token?: string, method?: string): Promise<Answer>;
  /** Creates an application with one integration. */
  application(integration: Record<string, string>): Promise<BenchApplication>;
  /** Adds an integration to an application. */
  another(
    application: Pick<BenchApplication, 'applicationId' | 'token'>,
    integration: Record<string, string>,
  ): Promise<BenchApplication>;
  metric(pattern: RegExp): Promise<number>;
}

export interface BenchApplication {
  integrationId: number;
  applicationId: number;
  token: string;
  headers: Record<string, string>;
  activity(to: string): object;
  /** The body of POST /1/message. */
  body(to: string): string;
}

/** The activity that every benchmark sends. */
export function activityThrough(integrationId: number, to: string): object {
  return {
    ...EXAMPLE_ACTIVITY,
    generator: { ...EXAMPLE_ACTIVITY.generator, id: String(integrationId) },
    to: { type: 'Person', id: to },
  };
}

export async function startBenchService(
  environment: Record<string, string>,
  root?: string,
): Promise<BenchService> {
  const running = await startNode(environment, root);
  const quiet = { ...environment, SWITCHBOARD_LOG_LEVEL: 'warn' };
  const userToken = await runCommand(['token'], quiet, root);

  const call: BenchService['call'] = async (path, body, token = userToken, method) => {
    const response = await fetch(running.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Answer;
  };

  const another: BenchService['another'] = async ({ applicationId, token }, fields) => {
    const integration = await call(
      '/1/integrations',
      { application_id: applicationId, state: 'enable', ...fields },
      token,
    );
    const activity = (to: string) => activityThrough(integration.id, to);
    return {
      integrationId: integration.id,
      applicationId,
      token,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      activity,
      body: (to) => JSON.stringify({ message: activity(to) }),
    };
  };

  return {
    running,
    userToken,
    call,
    another,
    async application(fields) {
      const me = await call('/1/users/me');
      const application = await call('/1/applications', {
        team_id: me.team_id,
        owner_id: me.id,
        state: 'enable',
      });
      const { token } = await call(`/1/applications/${application.id}/tokens`, {});
      return another({ applicationId: application.id, token }, fields);
    },
    async metric(pattern) {
      const text = await (await fetch(`${running.url}/metrics`)).text();
      return Number(pattern.exec(text)?.[1] ?? 0);
    },
  };
}
