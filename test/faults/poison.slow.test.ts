import { it } from 'node:test';

import { crashBySending } from './scenarios/poison.ts';

it('a message that crashes every process that sends it becomes uncertain, and all others are sent', async () => {
  await crashBySending({ engine: 'sqlite', messages: 60, progress() {} });
});
