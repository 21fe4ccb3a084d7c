import { it } from 'node:test';

import { crashBySending } from './poison.ts';

it('a message that ends whoever sends it is set aside, and everything else is sent', async () => {
  await crashBySending({ engine: 'sqlite', messages: 60, progress() {} });
});
