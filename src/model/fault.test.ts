import assert from 'node:assert/strict';
import { it } from 'node:test';

import { FAULTS, findFault } from './fault.ts';

it('each fault is found by its name, and says what to do', () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    assert.equal(findFault(name), fault);
    assert.match(fault.title, /^[A-Z].*[^.]$/);
    assert.match(fault.help, /^[A-Z].*\.$/);
  }
});

it('what is no fault is not found, not even what every object has', () => {
  for (const name of ['', 'toString', 'constructor', '__proto__', 'Credentials']) {
    assert.equal(findFault(name), undefined);
  }
});
