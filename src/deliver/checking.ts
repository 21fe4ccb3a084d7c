import type { Channel, Check, Context } from '../channels/channel.ts';
import type { Credentials } from '../model/integration.ts';
import { Keeper, type Surroundings, contextOf, faultOutcome } from './attempt.ts';
import { redactor } from './redaction.ts';

const DEADLINE = 15_000;

/** Asks a channel who we are. Undefined when it cannot be asked. */
export async function checkAccount(
  channel: Channel,
  credentials: Credentials,
  operatorUrl: string | undefined,
  surroundings: Surroundings,
  renew: Context['renew'],
): Promise<Check | undefined> {
  if (!channel.check) return undefined;
  const keeper = new Keeper();
  const redact = redactor(channel, credentials);
  const account = { channel, credentials, operatorUrl, redact, keep: keeper.keep, renew };
  const heard = { status: null, request: null, answer: null, secrets: [] };
  const signal = AbortSignal.timeout(DEADLINE);
  try {
    const check = await channel.check(contextOf(account, surroundings, signal, heard));
    if (check.outcome === 'known') return check;
    return { ...check, detail: redact(check.detail) };
  } catch (error) {
    const fault = faultOutcome(error);
    return { ...fault, detail: redact(fault.detail) };
  } finally {
    await keeper.close();
  }
}
