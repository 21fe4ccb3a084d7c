import assert from 'node:assert/strict';
import { it } from 'node:test';

import { FAULTS, findFault } from './fault.ts';

it('every fault is found by its name and has a help text', () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    assert.equal(findFault(name), fault);
    assert.match(fault.title, /^[A-Z].*[^.]$/);
    assert.match(fault.help, /^[A-Z].*\.$/);
  }
});

it('unknown names are not found, including inherited property names', () => {
  for (const name of ['', 'toString', 'constructor', '__proto__', 'Credentials']) {
    assert.equal(findFault(name), undefined);
  }
});
