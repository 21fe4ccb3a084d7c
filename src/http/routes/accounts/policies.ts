import Type, { type Static } from 'typebox';

import { firstOutside } from '../../../lib/time/weekly-window.ts';
import { isZone } from '../../../lib/time/zone.ts';
import type { UserPrincipal } from '../../../model/account.ts';
import type { Application } from '../../../model/application.ts';
import { visible } from '../../../model/audit.ts';
import type { Id } from '../../../model/id.ts';
import { invalidFields } from '../../../model/problem.ts';
import {
  CATEGORIES,
  type ConsentSettings,
  type ConsentSettingsChange,
} from '../../../model/sending/consent.ts';
import { DAYS, QUIET_ACTIONS, type QuietHours } from '../../../model/sending/quiet-hours.ts';
import { windowOf } from '../../../store/messages/quiet-hours.ts';
import { aboutApplication } from '../../audit.ts';
import { nullable } from '../../openapi/schemas.ts';
import { type Route, noContent, notFound, ok, pathId, userRoute } from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { RetentionChange, RetentionSchema, checkRetention } from './retention-policy.ts';

/** About three SMS. */
const MAX_ANSWER_LENGTH = 480;

const answer = (description: string) =>
  nullable(
    Type.String({
      maxLength: MAX_ANSWER_LENGTH,
      pattern: '^[^\\u0000]*$',
      description: `${description} Null is the default text in the language of the keyword; an empty text sends nothing.`,
      examples: ['You will get no more messages from Example Ltd. Reply START to resume.'],
    }),
  );

const AllowTransactional = Type.Boolean({
  description:
    'Whether transactional and verification messages are sent although the person stopped all messages. False by default.',
});

const DoubleOptIn = Type.Boolean({
  description: 'Whether marketing needs a granted consent. False by default.',
});

const CreateOnInbound = Type.Boolean({
  description: 'Whether people become contacts when they first write. False by default.',
});

const answerFields = {
  stop: answer('The answer to a keyword such as STOP.'),
  start: answer('The answer to a keyword such as START.'),
};
const Help = answer('The answer to a keyword such as HELP.');

const TIME = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

const QuietHoursSchema = Type.Object(
  {
    default_zone: nullable(
      Type.String({
        maxLength: 64,
        description:
          'The IANA zone of recipients whose own zone is unknown. Also the default zone of `send_at`.',
        examples: ['Europe/Berlin'],
      }),
    ),
    rules: Type.Array(
      Type.Object({
        categories: Type.Array(Type.Enum([...CATEGORIES]), { minItems: 1, uniqueItems: true }),
        days: Type.Array(Type.Enum([...DAYS]), {
          minItems: 1,
          uniqueItems: true,
          description: 'The days on which the quiet hours begin.',
        }),
        from: Type.String({ pattern: TIME, examples: ['21:00'] }),
        until: Type.String({
          pattern: TIME,
          description: 'On the next day if it is not after `from`.',
          examples: ['08:00'],
        }),
        action: Type.Enum([...QUIET_ACTIONS], {
          description:
            '`defer` sends the message at the end of the quiet hours, `refuse` does not send it.',
        }),
      }),
      { maxItems: 20 },
    ),
  },
  {
    title: 'QuietHours',
    description: 'Times at which no messages are sent, in the time zone of the recipient.',
  },
);

export const PoliciesSchema = Type.Object(
  {
    quiet_hours: QuietHoursSchema,
    contacts: Type.Object({ create_on_inbound: CreateOnInbound }),
    retention: RetentionSchema,
    consent: Type.Object({
      allow_transactional: AllowTransactional,
      double_opt_in: DoubleOptIn,
      confirmation: Type.Object(answerFields),
      help: Help,
    }),
  },
  { title: 'Policies' },
);

const PoliciesChange = Type.Object(
  {
    quiet_hours: Type.Optional(QuietHoursSchema),
    contacts: Type.Optional(Type.Object({ create_on_inbound: Type.Optional(CreateOnInbound) })),
    retention: Type.Optional(RetentionChange),
    consent: Type.Optional(
      Type.Object({
        allow_transactional: Type.Optional(AllowTransactional),
        double_opt_in: Type.Optional(DoubleOptIn),
        confirmation: Type.Optional(
          Type.Object({
            stop: Type.Optional(answerFields.stop),
            start: Type.Optional(answerFields.start),
          }),
        ),
        help: Type.Optional(Help),
      }),
    ),
  },
  { title: 'PoliciesChange' },
);

interface CurrentPolicies {
  application: Application;
  consent: ConsentSettings;
  quietHours: QuietHours;
  createOnInbound: boolean;
  retentionDays: number | null;
}

const tag = 'Applications';
const gone = () => notFound('the application');

/** The rules of an application for what it sends. */
export function policyRoutes({ store, audit, outbound, retentionDays }: Services): Route[] {
  async function read(caller: UserPrincipal, id: Id): Promise<CurrentPolicies> {
    const application = await store.applications.get(id);
    const consent = await store.consents.settings(id);
    const quietHours = await store.schedule.quietHours(id);
    const createOnInbound = await store.identities.createsOnInbound(id);
    const days = await store.retention.days(id);
    if (!consent || !quietHours || application?.teamId !== caller.teamId) throw gone();
    return { application, consent, quietHours, createOnInbound, retentionDays: days };
  }

  async function changeContacts(
    caller: UserPrincipal,
    { application, createOnInbound }: CurrentPolicies,
    after: boolean,
  ): Promise<void> {
    const changes = visible('contacts.create_on_inbound', String(createOnInbound), String(after));
    const about = aboutApplication(application);
    const entry = await audit.update(caller, 'application.updated', about, changes);
    if (entry) await store.identities.setCreatesOnInbound(application.id, after, entry);
  }

  async function changeRetention(
    caller: UserPrincipal,
    { application, retentionDays: before }: CurrentPolicies,
    after: number | null,
  ): Promise<void> {
    const changes = visible('retention.days', textOf(before), textOf(after));
    const about = aboutApplication(application);
    const entry = await audit.update(caller, 'application.updated', about, changes);
    if (entry && !(await store.retention.setDays(application.id, after, entry))) throw gone();
  }

  async function changeQuietHours(
    caller: UserPrincipal,
    application: Application,
    before: QuietHours,
    after: Static<typeof QuietHoursSchema>,
  ): Promise<void> {
    const changes = visible(
      'quiet_hours',
      JSON.stringify(quietHoursView(before)),
      JSON.stringify(after),
    );
    const about = aboutApplication(application);
    const entry = await audit.update(caller, 'application.updated', about, changes);
    if (!entry) return;
    const { default_zone: defaultZone, rules } = after;
    await store.schedule.setQuietHours(application.id, { defaultZone, rules }, entry);
    outbound.forget(application.id);
  }

  return [
    userRoute({
      method: 'GET',
      path: '/1/applications/:id/policies',
      operationId: 'getPolicies',
      tag,
      summary: 'Get the policies of an application',
      success: { status: 200, description: 'The policies.', schema: PoliciesSchema },
      problems: ['not_found'],
      async handle(call) {
        const current = await read(call.caller, pathId(call));
        return ok({
          ...policiesView(current.consent),
          quiet_hours: quietHoursView(current.quietHours),
          contacts: { create_on_inbound: current.createOnInbound },
          retention: { days: current.retentionDays, service_days: retentionDays },
        });
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/applications/:id/policies',
      operationId: 'updatePolicies',
      tag,
      summary: 'Update the policies of an application',
      description: 'Omitted fields keep their values. The audit log records every change.',
      body: PoliciesChange,
      example: { consent: { double_opt_in: true } },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found'],
      async handle(call) {
        const current = await read(call.caller, pathId(call));
        const { application, consent: before, quietHours } = current;
        const { quiet_hours: quiet, retention } = call.body;
        if (quiet) checkQuietHours(quiet);
        if (retention?.days) checkRetention(retention.days, retentionDays);
        const change = readChange(call.body.consent);
        const changes = changesOf(before, change);
        const about = aboutApplication(application);
        const entry = await audit.update(call.caller, 'application.updated', about, changes);
        if (entry && !(await store.consents.setSettings(application.id, change, entry))) {
          throw gone();
        }
        if (quiet) await changeQuietHours(call.caller, application, quietHours, quiet);
        const after = call.body.contacts?.create_on_inbound;
        if (after !== undefined) await changeContacts(call.caller, current, after);
        if (retention?.days !== undefined) {
          await changeRetention(call.caller, current, retention.days);
        }
        return noContent;
      },
    }),
  ];
}

const policiesView = ({ allowTransactional, doubleOptIn, answers }: ConsentSettings) => ({
  consent: {
    allow_transactional: allowTransactional,
    double_opt_in: doubleOptIn,
    confirmation: { stop: answers.stop, start: answers.start },
    help: answers.help,
  },
});

const textOf = (days: number | null) => (days === null ? null : String(days));

const quietHoursView = ({ defaultZone, rules }: QuietHours) => ({
  default_zone: defaultZone,
  rules: [...rules],
});

/** Throws if a zone is unknown or the rules leave no time at all. */
function checkQuietHours({ default_zone: zone, rules }: Static<typeof QuietHoursSchema>): void {
  const at = '/quiet_hours';
  if (zone !== null && !isZone(zone)) {
    throw invalidFields({ pointer: `${at}/default_zone`, detail: 'must be an IANA time zone' });
  }
  if (zone === null && rules.length > 0) {
    const detail = 'is required with rules: many recipients have no zone of their own';
    throw invalidFields({ pointer: `${at}/default_zone`, detail });
  }
  for (const category of CATEGORIES) {
    const windows = rules.filter(({ categories }) => categories.includes(category)).map(windowOf);
    if (firstOutside(windows, 0, 'UTC') !== undefined) continue;
    throw invalidFields({ pointer: `${at}/rules`, detail: `leave no time for ${category}` });
  }
}

function readChange(consent: Static<typeof PoliciesChange>['consent'] = {}): ConsentSettingsChange {
  const { allow_transactional, double_opt_in, confirmation = {}, help } = consent;
  return {
    ...(allow_transactional !== undefined && { allowTransactional: allow_transactional }),
    ...(double_opt_in !== undefined && { doubleOptIn: double_opt_in }),
    answers: { ...confirmation, ...(help !== undefined && { help }) },
  };
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : String(value));

/** The texts go to people, so none is secret. */
function changesOf(before: ConsentSettings, change: ConsentSettingsChange) {
  const answers = change.answers ?? {};
  return [
    ...visible(
      'consent.allow_transactional',
      String(before.allowTransactional),
      flag(change.allowTransactional),
    ),
    ...visible('consent.double_opt_in', String(before.doubleOptIn), flag(change.doubleOptIn)),
    ...visible('consent.confirmation.stop', before.answers.stop, answers.stop),
    ...visible('consent.confirmation.start', before.answers.start, answers.start),
    ...visible('consent.help', before.answers.help, answers.help),
  ];
}
