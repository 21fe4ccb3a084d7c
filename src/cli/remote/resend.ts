import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { Progress } from '../progress.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { printJson } from './format.ts';
import { type FilterOptions, readMessageFilter } from './messages.ts';

export type ResendOptions = RemoteOptions & FilterOptions & { dryRun?: true; route?: string };

/** Resends messages by id, or all that match a filter. */
export async function resend(ids: readonly string[], options: ResendOptions): Promise<void> {
  const filter = readMessageFilter(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (isFiltered === ids.length > 0) {
    const hint = 'give message ids, or a filter such as --state';
    throw new CliError(`resend: ${hint}`, EXIT.usage);
  }
  if (options.route !== undefined && isFiltered) {
    throw new CliError('resend: --route needs message ids', EXIT.usage);
  }
  if (options.dryRun && !isFiltered) {
    throw new CliError('resend: --dry-run needs a filter, such as --state', EXIT.usage);
  }
  return isFiltered ? resendAll(filter, options) : resendSome(ids, options);
}

async function resendSome(ids: readonly string[], options: ResendOptions): Promise<void> {
  const messageIds = ids.map((text) => readId(text, 'message'));
  const { route: text } = options;
  if (text !== undefined && !/^\d{1,2}$/.test(text)) {
    throw new CliError(`--route: expected a number from 0, not "${text}"`, EXIT.usage);
  }
  const route = text === undefined ? {} : { route: Number(text) };
  const client = await connectApplication(options);
  const accepted = [];
  for (const id of messageIds) {
    accepted.push(await client.messages.resend(id, route));
    if (!options.json) print(`Message ${id} queued again.`);
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
    const { total, is_more: hasMore } = preview;
    return print(`${hasMore ? 'At least ' : ''}${total} messages would be resent.`);
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
  print(`${job.done} of ${job.total} messages queued again; job ${id} ${job.state}.`);
  if (orphaned > 0) print(`${orphaned} skipped: their integration was deleted.`);
  if (changed > 0) print(`${changed} skipped: their state has changed.`);
}
