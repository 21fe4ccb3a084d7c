import { SETTINGS, type Setting } from '../../config.ts';

const MASKED = '[masked]';

/** Shorter values occur within ordinary words. */
const MIN_SECRET_LENGTH = 4;

const SETTINGS_BY_NAME: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.values<Setting<unknown>>(SETTINGS).map((setting) => [setting.name, setting]),
);

/**
 * Masks secrets anywhere in JSON output: values of secret and unknown settings, key ring keys, and user info in
 * URLs.
 */
export function masker(
  environment: NodeJS.ProcessEnv,
  ring: string,
): (key: string, value: unknown) => unknown {
  const secrets = [...secretsIn(environment), ...ring.split(/[\s,:]+/)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // Longest first, so that a whole is masked before its parts.
    .toSorted((a, b) => b.length - a.length);
  return (_key, value) => {
    if (typeof value !== 'string') return value;
    const masked = secrets.reduce((text, secret) => text.replaceAll(secret, MASKED), value);
    return masked.replaceAll(/:\/\/[^\s/@"]*@/g, `://${MASKED}@`);
  };
}

/** A setting for display. */
export function shownSetting(name: string, value: string): string {
  return mayBeSecret(name, value) ? MASKED : value;
}

/** Unknown or invalid settings may hold a misplaced secret. */
function mayBeSecret(name: string, value: string): boolean {
  const setting = SETTINGS_BY_NAME.get(name);
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
    const isOurs = name.startsWith('SWITCHBOARD_') || SETTINGS_BY_NAME.has(name);
    if (!isOurs || !mayBeSecret(name, value)) return passwordsIn(value);
    const keys = name === SETTINGS.secretKeys.name ? value.split(/[\s,:]+/) : [];
    return passwordsIn(value).concat(value, keys);
  });
}

/** Passwords in URLs. The user name may be an ordinary word and is masked only in place. */
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
