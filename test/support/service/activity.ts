import { EXAMPLE_ACTIVITY } from '../../../src/http/activity.ts';
import type { Client } from './client.ts';

/** The body of `POST /1/message`; `change` replaces parts of the activity. */
export function message(change: Record<string, unknown> = {}): {
  message: Record<string, unknown>;
} {
  const { generator: _, ...rest } = EXAMPLE_ACTIVITY;
  return { message: { ...rest, generator: { type: 'Service' }, ...change } };
}

/** Creates an integration of an application. */
export async function integrate(
  app: Client,
  applicationId: number,
  fields: Record<string, unknown> = {},
) {
  const { body } = await app.post('/1/integrations', {
    application_id: applicationId,
    name: 'telegram',
    state: 'enable',
    token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
    ...fields,
  });
  return body as { id: number; [field: string]: unknown };
}
