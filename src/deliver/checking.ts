import type { Channel, Check, Context } from '../channels/channel.ts';
import type { Credentials } from '../model/integration.ts';
import { type Heard, type Surroundings, contextOf, faultOutcome, redacted } from './attempt.ts';
import { Files } from './files.ts';
import { Keeper } from './keeper.ts';
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
  const account = {
    channel,
    credentials,
    operatorUrl,
    keep: keeper.keep,
    renew,
    redact: redactor(channel, credentials),
  };
  const heard: Heard = { status: null, request: null, answer: null, secrets: [] };
  const signal = AbortSignal.timeout(DEADLINE);
  const files = new Files(surroundings.network, signal);
  try {
    const check = await channel.check(contextOf(account, surroundings, signal, heard, files));
    if (check.outcome === 'known') return check;
    return { ...check, detail: redacted(check.detail, account, heard) };
  } catch (error) {
    const fault = faultOutcome(error);
    return { ...fault, detail: redacted(fault.detail, account, heard) };
  } finally {
    files.close();
    await keeper.close();
  }
}
