import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { CliError, EXIT } from '../exit.ts';

export interface Profile {
  url: string;
  token: string;
  /** The application that a user acts for. */
  application?: number;
}

export interface Profiles {
  /** The profile used by default. */
  current: string;
  profiles: Record<string, Profile>;
}

/** In the user's configuration folder: https://specifications.freedesktop.org/basedir-spec/latest/ */
export function profilesFile(): string {
  const folder = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(folder, 'switchboard', 'profiles.json');
}

export function readProfiles(): Profiles {
  const file = profilesFile();
  if (!existsSync(file)) return { current: 'default', profiles: {} };
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Profiles> | null;
    const profiles = Object.entries(value?.profiles ?? {}).filter(([, one]) => isProfile(one));
    return { current: String(value?.current), profiles: Object.fromEntries(profiles) };
  } catch {
    throw new CliError(`${file} is unreadable; move it away and log in again`, EXIT.usage);
  }
}

/** Readable by the user only; renamed into place, so that no reader sees half a file. */
export function writeProfiles(profiles: Profiles): void {
  const file = profilesFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

function isProfile(value: unknown): value is Profile {
  const { url, token } = (value ?? {}) as Partial<Profile>;
  return typeof url === 'string' && typeof token === 'string';
}
