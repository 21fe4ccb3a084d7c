import { it } from 'node:test';

import { requirement } from '../support/requirement.ts';
import { fillDisk, maySmallDisk } from './filling.ts';

const skipFull = maySmallDisk() ? false : 'NOT TESTED: only root may make a small disk';

it(
  'a disk that is full for a while costs nothing that was accepted',
  { skip: skipFull },
  async () => {
    await fillDisk({ fault: 'full', rounds: 2, messages: 100, progress() {} });
  },
);

const { skip } = requirement('prlimit', 'apt-get install util-linux');

it('a disk that refuses writes for a while costs nothing that was accepted', { skip }, async () => {
  await fillDisk({ fault: 'errors', rounds: 2, messages: 100, progress() {} });
});
