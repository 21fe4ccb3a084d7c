import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';

import { startTestService } from '../support/service/service.ts';

it('a stop that takes all its time for an open request causes no warning', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const environment = { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_STOP_TIMEOUT: '1' };
  await using sb = await startTestService('sqlite', { environment });
  const socket = connect(Number(new URL(sb.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n');
  await sb.as(undefined).get('/healthz');
  await sb.service.stop();
  await new Promise(setImmediate);
  assert.deepEqual(warnings, []);
  socket.destroy();
});
