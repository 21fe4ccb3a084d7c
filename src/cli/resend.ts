import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { CliError, EXIT } from './exit.ts';
import { type FilterOptions, readMessageFilter } from './messages.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { printJson } from './show.ts';

export type ResendOptions = RemoteOptions & FilterOptions & { dryRun?: true };

/** Sends messages again that came to nothing: those named, or all that a filter means. */
export async function resend(ids: readonly string[], options: ResendOptions): Promise<void> {
  const filter = readMessageFilter(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (isFiltered === ids.length > 0) {
    const words = 'name messages by their ids, or say which by --state and the like';
    throw new CliError(`resend: ${words}`, EXIT.usage);
  }
  return isFiltered ? resendAll(filter, options) : resendSome(ids, options);
}

async function resendSome(ids: readonly string[], options: RemoteOptions): Promise<void> {
  const wanted = ids.map((text) => readId(text, 'message'));
  const client = await connectApplication(options);
  const accepted = [];
  for (const id of wanted) {
    accepted.push(await client.messages.resend(id));
    if (!options.json) print(`Message ${id} is queued again.`);
  }
  if (options.json) printJson(accepted);
}

async function resendAll(
  filter: ReturnType<typeof readMessageFilter>,
  { dryRun, ...options }: ResendOptions,
): Promise<void> {
  const client = await connectApplication(options);
  if (dryRun) {
    const preview = await client.messages.countResend(filter);
    if (options.json) return printJson(preview);
    const { total, is_more: isMore } = preview;
    return print(`${isMore ? 'At least ' : ''}${total} messages would be sent again.`);
  }
  const { id } = await client.messages.resendAll(filter);
  const progress = new Progress(options.json === true);
  const job = await client.jobs.finished(id, {
    onProgress({ state, done, skipped, total }) {
      if (state === 'counting') return;
      progress.show(`job ${id}, ${state}`, done + skipped.no_integration + skipped.changed, total);
    },
  });
  progress.end();
  if (options.json) return printJson(job);
  const { no_integration: orphaned, changed } = job.skipped;
  print(`${job.done} of ${job.total} messages are queued again; job ${id} is ${job.state}.`);
  if (orphaned > 0) print(`${orphaned} were left alone: their integration has been deleted.`);
  if (changed > 0) print(`${changed} were left alone: they need it no more.`);
}
