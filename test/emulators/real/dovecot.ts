import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';

import { requirement } from '../../support/requirement.ts';
import type { Certificate } from '../server/certificate.ts';
import { type ChildServer, startChild } from './child-server.ts';

/* A real IMAP server, as a child process, with one mailbox. https://doc.dovecot.org/2.3/ */

export const DOVECOT = requirement('dovecot', 'apt-get install dovecot-imapd');

export const USER = 'bot@example.org';
export const PASSWORD = 'not-a-secret-of-imap "\\ é';

export interface Dovecot extends ChildServer<{ leave(): void }> {
  /** Puts an email into the mailbox like a delivery agent. */
  deliver(mail: string | Buffer, mailbox?: string): Promise<void>;
  /** Deletes all emails and changes UIDVALIDITY. */
  resetMailbox(): Promise<void>;
}

export interface DovecotOptions {
  certificate?: Certificate;
  /** Whether TLS comes first. */
  isSecure?: boolean;
  /** Further lines for the whole configuration. */
  lines?: readonly string[];
}

export async function startDovecot(options: DovecotOptions = {}): Promise<Dovecot> {
  let home = '';
  let count = 0;
  const server = await startChild<{ leave(): void }>({
    name: 'dovecot',
    path: DOVECOT.path,
    visit: () => Promise.reject(new Error('a mailbox has no other users')),
    async prepare(folder, port) {
      home = join(folder, 'mail');
      for (const name of ['', '.Other']) {
        for (const part of ['cur', 'new', 'tmp']) {
          await mkdir(join(home, name, part), { recursive: true });
          await chmod(join(home, name, part), 0o777);
        }
        await chmod(join(home, name), 0o777);
      }
      await writeFile(join(folder, 'users'), `${USER}:{PLAIN}${PASSWORD}::::::\n`, { mode: 0o644 });
      if (options.certificate) {
        await writeFile(join(folder, 'cert.pem'), options.certificate.cert);
        await writeFile(join(folder, 'key.pem'), options.certificate.key);
      }
      const file = join(folder, 'dovecot.conf');
      await writeFile(file, configuration(folder, port, options));
      return ['-F', '-c', file];
    },
  });
  return {
    ...server,
    async deliver(mail, mailbox = '') {
      const name = `${Date.now()}.${++count}.example`;
      const at = join(home, mailbox);
      // Renamed into place so that only complete emails appear.
      await writeFile(join(at, 'tmp', name), mail);
      await rename(join(at, 'tmp', name), join(at, 'new', name));
    },
    async resetMailbox() {
      await server.stop();
      for (const name of [
        'dovecot-uidlist',
        'dovecot.index.log',
        'dovecot.index',
        'dovecot.index.cache',
      ]) {
        await rm(join(home, name), { force: true });
      }
      for (const part of ['cur', 'new']) {
        await rm(join(home, part), { recursive: true });
        await mkdir(join(home, part));
        await chmod(join(home, part), 0o777);
      }
      await server.restart();
    },
  };
}

function configuration(folder: string, port: number, options: DovecotOptions): string {
  const isRoot = process.getuid?.() === 0;
  const { username } = userInfo();
  const group = execFileSync('id', ['-gn']).toString().trim();
  return [
    'protocols = imap',
    `base_dir = ${folder}/run`,
    `state_dir = ${folder}/run`,
    'log_path = /dev/stderr',
    'listen = 127.0.0.1',
    // Without root it keeps its user.
    ...(isRoot
      ? []
      : [
          `default_internal_user = ${username}`,
          `default_internal_group = ${group}`,
          `default_login_user = ${username}`,
        ]),
    'service anvil {\n  chroot =\n}',
    'service imap-login {\n  chroot =',
    `  inet_listener imap {\n    port = ${options.isSecure ? 0 : port}\n  }`,
    `  inet_listener imaps {\n    port = ${options.isSecure ? port : 0}\n    ssl = yes\n  }`,
    '}',
    'auth_mechanisms = plain',
    `ssl = ${options.certificate ? 'yes' : 'no'}`,
    ...(options.certificate
      ? [`ssl_cert = <${folder}/cert.pem`, `ssl_key = <${folder}/key.pem`]
      : []),
    'disable_plaintext_auth = no',
    `passdb {\n  driver = passwd-file\n  args = scheme=PLAIN ${folder}/users\n}`,
    `userdb {\n  driver = static\n  args = uid=${isRoot ? 'nobody' : username} gid=${isRoot ? 'nogroup' : group} home=${folder}/mail\n}`,
    'first_valid_uid = 1',
    'first_valid_gid = 1',
    `mail_location = maildir:${folder}/mail`,
    'namespace inbox {\n  inbox = yes\n  separator = .\n}',
    'mailbox_idle_check_interval = 1 secs',
    ...(options.lines ?? []),
    '',
  ].join('\n');
}
