import { SETTINGS, type Setting } from '../config.ts';

/** What stands in the place of a secret. */
export const MASKED = '[masked]';

/** Shorter ones are found within words that tell nothing. */
const SHORTEST = 4;

const KNOWN: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.values<Setting<unknown>>(SETTINGS).map((setting) => [setting.name, setting]),
);

/**
 * Takes secrets out of whatever is written as JSON, wherever they stand: the values of settings that are secret or
 * that nobody knows, the keys of the ring, and whatever stands before the `@` of an address.
 */
export function masker(
  environment: NodeJS.ProcessEnv,
  ring: string,
): (key: string, value: unknown) => unknown {
  const secrets = [...secretsIn(environment), ...ring.split(/[\s,:]+/)]
    .filter((secret) => secret.length >= SHORTEST)
    // The whole before its parts.
    .toSorted((a, b) => b.length - a.length);
  return (_key, value) => {
    if (typeof value !== 'string') return value;
    const masked = secrets.reduce((text, secret) => text.replaceAll(secret, MASKED), value);
    return masked.replaceAll(/:\/\/[^\s/@"]*@/g, `://${MASKED}@`);
  };
}

/** A setting as it may be shown. */
export function shownSetting(name: string, value: string): string {
  return mayBeSecret(name, value) ? MASKED : value;
}

/** What is no setting, or cannot be read as one, may be anything: a secret in the wrong place, too. */
function mayBeSecret(name: string, value: string): boolean {
  const setting = KNOWN.get(name);
  if (!setting || setting.secret) return true;
  try {
    setting.parse(value);
    return false;
  } catch {
    return true;
  }
}

function secretsIn(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const isOurs = name.startsWith('SWITCHBOARD_') || KNOWN.has(name);
    if (!isOurs || !mayBeSecret(name, value)) return passwordsIn(value);
    const keys = name === SETTINGS.secretKeys.name ? value.split(/[\s,:]+/) : [];
    return passwordsIn(value).concat(value, keys);
  });
}

/** The password in an address. The name beside it may be an everyday word, and is masked where it stands. */
function passwordsIn(value: string): string[] {
  const url = URL.parse(value);
  if (!url) return [];
  return [url.password, decoded(url.password), ...url.searchParams.getAll('password')];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
