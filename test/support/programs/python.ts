import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { requirement } from '../requirement.ts';
import { ROOT } from '../sources.ts';

/* Python and the Python client of this repository. */

const FOUND = requirement('python3', 'apt-get install python3');
/** Debian's own, even if another one is earlier in the PATH. */
const DEBIAN_PYTHON = '/usr/bin/python3';

export const PYTHON = {
  skip: FOUND.skip,
  path: existsSync(DEBIAN_PYTHON) ? DEBIAN_PYTHON : (FOUND.path ?? ''),
};

export const PYTHON_CLIENT = join(ROOT, 'clients', 'python');

/** Lets programs import the client, and leaves nothing in its folder. */
export const PYTHON_ENVIRONMENT = {
  PYTHONPATH: join(PYTHON_CLIENT, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
};
