import createClient from 'openapi-fetch';

import type { paths } from './schema.js';

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [, , baseUrl = '', token = '', integration = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const { data, error, response } = await client.POST('/1/message', {
  body: {
    message: {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service', id: integration },
      to: { type: 'Person', id: '123456789' },
      object: { type: 'Note', content: 'Hello' },
    },
  },
});
if (error) throw new Error(error.code);
const state = 'state' in data ? data.state : undefined;
process.stdout.write(JSON.stringify({ status: response.status, state }));
