import { it } from 'node:test';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { openHttp } from '../emulators/http.ts';
import { ENGINES } from '../support/databases.ts';
import { openDelivery } from '../support/delivery.ts';
import { until } from '../support/until.ts';

class JumpingClock implements Clock {
  #ahead = 0;
  now = () => systemClock.now() + this.#ahead;
  elapsed = () => systemClock.elapsed();
  after: Clock['after'] = (...given) => systemClock.after(...given);
  jump(by: number) { this.#ahead += by; }
}
const HOUR = 3600_000;
for (const engine of ENGINES) for (const by of [HOUR, 24*HOUR, -HOUR, -24*HOUR]) {
  it(`${engine} jump ${by / HOUR}`, async () => {
    const clock = new JumpingClock();
    await using sb = await openDelivery(engine, { channel: 'slack', clock, credentials: {token: 'xoxb-fake'}, open: () => openHttp(() => ({status: 200, body: {ok: true, channel: 'C000000001', ts: '1.1'}})) });
    const a = await sb.send('a', 'C000000001');
    await sb.settled(a);
    sb.peer.next({ status: 500 });
    const failing = await sb.send('b', 'C000000002');
    await sb.message(failing, m => m.attempts === 1);
    clock.jump(by);
    const b = await sb.send('c', 'C000000001');
    const c = await sb.send('d', 'C000000003');
    for (const id of [c, b, failing]) { await sb.settled(id).then(m => console.log(engine, by/HOUR, id, m.state), e => console.log(engine, by/HOUR, id, 'FAIL')); }
  });
}
