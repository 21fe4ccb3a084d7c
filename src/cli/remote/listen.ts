import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Event } from '../../../sdk/src/index.ts';
import { newWebhookSecret, webhookHeaders } from '../../lib/crypto/standard-webhooks.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { type RemoteOptions, connectApplication } from './connection.ts';
import { readAfter, untilStopped } from './events.ts';
import { colored } from './format.ts';

export interface ListenOptions extends RemoteOptions {
  forward: string;
  secret?: string;
  after?: string;
}

const TIMEOUT_MS = 15_000;
const MAX_RETRY_MS = 30_000;

/** Forwards events to a local webhook, signed like the service does, in order, retrying each until it is accepted. */
export async function listen(options: ListenOptions): Promise<void> {
  const { forward, json } = options;
  if (!/^https?:\/\//i.test(forward) || !URL.canParse(forward)) {
    throw new CliError(
      `--forward: expected an http:// or https:// URL, not "${forward}"`,
      EXIT.usage,
    );
  }
  const after = readAfter(options.after);
  const secret = options.secret ?? newWebhookSecret();
  const client = await connectApplication(options);
  const signal = untilStopped();
  const name = randomBytes(4).toString('hex');
  process.stderr.write(
    `Forwarding to ${forward}. Press Ctrl-C to stop.\nSigning secret: ${secret}\n`,
  );
  const events = client.realtime({
    signal,
    ...(after !== undefined && { after }),
    onRetry: ({ detail }) => void process.stderr.write(`switchboard: ${detail}; retrying\n`),
  });
  for await (const event of events) {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const answer = await post(forward, event, { secret, name, signal });
      show(event, answer, json ?? false);
      if (answer.isAccepted) break;
      await sleep(Math.min(MAX_RETRY_MS, 1000 * 2 ** (attempt - 1)), undefined, { signal }).catch(
        () => {},
      );
    }
  }
}

interface Answer {
  isAccepted: boolean;
  status: string;
  ms: number;
}

async function post(
  url: string,
  event: Event,
  { secret, name, signal }: { secret: string; name: string; signal: AbortSignal },
): Promise<Answer> {
  const body = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000);
  const id = `evt_${name}_${event.id}`;
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...webhookHeaders({ id, timestamp, body }, [secret]),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { isAccepted: response.ok, status: String(response.status), ms: elapsed() };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { isAccepted: false, status: cause?.code ?? message, ms: elapsed() };
  }
}

function show({ id, type }: Event, { isAccepted, status, ms }: Answer, json: boolean): void {
  if (json) return print(JSON.stringify({ id, type, status, ms, accepted: isAccepted }));
  const answer = colored(isAccepted ? 'sent' : 'failed', status);
  print(
    `${String(id).padStart(5)}  ${type.padEnd(21)}  ${answer}  ${ms} ms${isAccepted ? '' : ', retrying'}`,
  );
}
