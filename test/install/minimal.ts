import { USERS, openDebian, whyNoDebian } from './debian.ts';

/* Runs the README's `npm ci && npm test` in a minimal Debian 13, as an ordinary user and as root. */

const why = whyNoDebian();
if (why !== undefined) {
  process.stderr.write(`No minimal Debian here: ${why}\n`);
  process.exit(1);
}
process.stdout.write('Installing Debian 13 with Node.js and npm (about two minutes)\n');
using debian = openDebian('inherit');
debian.addProject();
for (const user of USERS) {
  process.stdout.write(`As ${user}\n`);
  const { status } = debian.run(user, 'npm ci && npm test');
  if (status !== 0) process.exitCode = 1;
}
