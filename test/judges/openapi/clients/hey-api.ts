import { client } from './hey-api/client.gen.ts';
import { sendMessage } from './hey-api/sdk.gen.ts';

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [, , baseUrl = '', token = '', integration = ''] = process.argv;
client.setConfig({ baseUrl, auth: token });
const { data, error, response } = await sendMessage({
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
const state = data && 'state' in data ? data.state : undefined;
process.stdout.write(JSON.stringify({ status: response?.status, state }));
