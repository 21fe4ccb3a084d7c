import { it } from 'node:test';

import { requirement } from '../support/requirement.ts';
import { fillDisk, maySmallDisk } from './scenarios/filling-disk.ts';

const skipFull = maySmallDisk() ? false : 'NOT TESTED: only root may mount a small disk';

it('a temporarily full disk loses no accepted message', { skip: skipFull }, async () => {
  await fillDisk({ fault: 'full', rounds: 2, messages: 100, progress() {} });
});

const { skip } = requirement('prlimit', 'apt-get install util-linux');

it('a disk that temporarily refuses writes loses no accepted message', { skip }, async () => {
  await fillDisk({ fault: 'errors', rounds: 2, messages: 100, progress() {} });
});
