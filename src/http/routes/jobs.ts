import Type from 'typebox';

import { type Job, JOB_STATES } from '../../model/job.ts';
import { Problem } from '../../model/problem.ts';
import { timestamp } from '../../model/timestamp.ts';
import { dryRun, isDryRun } from '../dry-run.ts';
import { FilterSchema, readResendFilter } from '../message-filter.ts';
import { Id, Timestamp, datedFields, listOf, nullable } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, applicationRoute, noContent, notFound, ok, pathId } from '../server/route.ts';
import type { Services } from '../services.ts';
import { dated } from '../views/views.ts';

export const JobSchema = Type.Object(
  {
    ...datedFields,
    application_id: Id,
    kind: Type.Literal('resend'),
    state: Type.Enum([...JOB_STATES]),
    filter: FilterSchema,
    total: Type.Integer({
      description: 'Number of messages; while `counting`, the count so far.',
    }),
    done: Type.Integer({ description: 'Messages queued again.' }),
    skipped: Type.Object({
      no_integration: Type.Integer({
        description: 'Skipped because their integration was deleted.',
      }),
      changed: Type.Integer({
        description: 'Skipped because their state changed before their turn.',
      }),
    }),
    finished_at: nullable(Timestamp),
  },
  { title: 'Job' },
);

export const ResendPreviewSchema = Type.Object(
  {
    total: Type.Integer({ description: 'Number of messages that would be resent.' }),
    states: Type.Record(Type.String(), Type.Integer(), {
      description: 'Count by state.',
    }),
    is_more: Type.Boolean({
      description: 'Whether there are more: counting stops at 10,000 per state.',
    }),
  },
  { title: 'ResendPreview' },
);

const Resend = Type.Object({ filter: FilterSchema }, { additionalProperties: false });

/** Maximum number of running jobs per application. */
const MAX_RUNNING_JOBS = 10;
/** Counting stops here, per state. */
const MAX_COUNTED = 10_000;

const tag = 'Messages';
const gone = () => notFound('the job');

/** Bulk operations on messages. */
export function jobRoutes({ store, clock, jobs, audit }: Services): Route[] {
  return [
    applicationRoute({
      method: 'POST',
      path: '/1/messages/resend',
      operationId: 'resendMessages',
      tag,
      summary: 'Resend messages in bulk',
      description:
        'Resends all matching messages that are failed, uncertain, canceled, expired or suppressed, oldest first; without `state`, all five. Returns a job that runs in the background and survives restarts; `GET /1/jobs/{id}` shows its progress. Messages accepted after the job are not included.',
      body: Resend,
      query: [dryRun('the number of messages')],
      example: { filter: { state: 'failed', created_after: '2026-11-15T00:00:00' } },
      alternative: {
        status: 200,
        description: 'With `dry_run=true`: the number of messages.',
        schema: ResendPreviewSchema,
      },
      success: {
        status: 202,
        description: 'The job has started.',
        schema: JobSchema,
        headers: ['Location'],
      },
      problems: ['too_many_jobs'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { filter } = call.body;
        const now = clock.now();
        const resendFilter = await readResendFilter(filter, store, applicationId, now);
        if (isDryRun(call.query)) {
          return ok(
            previewView(await store.jobs.countByState(applicationId, resendFilter, MAX_COUNTED)),
          );
        }
        if ((await store.jobs.countOpen(applicationId)) >= MAX_RUNNING_JOBS) {
          throw new Problem('too_many_jobs', `${MAX_RUNNING_JOBS} jobs are running`);
        }
        const job: Job = {
          id: await store.nextId(),
          applicationId,
          kind: 'resend',
          state: 'counting',
          filter: JSON.stringify(filter),
          wanted: JSON.stringify(resendFilter),
          total: 0,
          done: 0,
          orphaned: 0,
          changed: 0,
          afterAt: 0,
          afterId: 0,
          node: null,
          createdAt: now,
          updatedAt: now,
          finishedAt: null,
        };
        const location = `/1/jobs/${job.id}`;
        const answer = { status: 202, body: jobView(job), headers: { location } };
        const about = { type: 'job', id: job.id, applicationId } as const;
        const entry = await audit.byPerson(call.caller, 'message.resent', about);
        await store.jobs.insert(job, call.once(answer), entry);
        jobs.wake();
        return answer;
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/jobs',
      operationId: 'listJobs',
      tag,
      summary: 'List jobs',
      description: 'Newest first. Finished jobs are kept as long as messages.',
      query: PAGING,
      evenDisabled: true,
      success: { status: 200, description: 'A page of jobs.', schema: listOf(JobSchema) },
      async handle(call) {
        const page = await store.jobs.list(call.caller.applicationId, pageRequest(call.query));
        return listAnswer(call, '/1/jobs', page, (job) => JSON.stringify(jobView(job)));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/jobs/:id',
      operationId: 'getJob',
      tag,
      summary: 'Get a job',
      description: 'With its progress.',
      evenDisabled: true,
      success: { status: 200, description: 'The job.', schema: JobSchema },
      problems: ['not_found'],
      async handle(call) {
        const job = await store.jobs.get(call.caller.applicationId, pathId(call));
        if (!job) throw gone();
        return ok(jobView(job));
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/jobs/:id',
      operationId: 'cancelJob',
      tag,
      summary: 'Cancel a job',
      description:
        'Messages that are already queued again are sent. Canceling a finished job changes nothing.',
      evenDisabled: true,
      success: { status: 204, description: 'Canceled.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const job = await store.jobs.get(applicationId, pathId(call));
        if (!job) throw gone();
        const about = { type: 'job', id: job.id, applicationId } as const;
        const entry = await audit.byPerson(call.caller, 'message.canceled', about);
        await store.jobs.cancel(job, clock.now(), entry);
        return noContent;
      },
    }),
  ];
}

const jobView = (job: Job) => ({
  ...dated(job),
  application_id: job.applicationId,
  kind: job.kind,
  state: job.state,
  filter: JSON.parse(job.filter) as unknown,
  total: job.total,
  done: job.done,
  skipped: { no_integration: job.orphaned, changed: job.changed },
  finished_at: job.finishedAt === null ? null : timestamp(job.finishedAt),
});

function previewView(counts: ReadonlyMap<string, number>) {
  const values = [...counts.values()];
  return {
    total: values.reduce((sum, count) => sum + count, 0),
    states: Object.fromEntries(counts),
    is_more: values.includes(MAX_COUNTED),
  };
}
