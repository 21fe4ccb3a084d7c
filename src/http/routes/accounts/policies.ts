import Type, { type Static } from 'typebox';

import type { UserPrincipal } from '../../../model/account.ts';
import type { Application } from '../../../model/application.ts';
import { visible } from '../../../model/audit.ts';
import type { Id } from '../../../model/id.ts';
import type { ConsentSettings, ConsentSettingsChange } from '../../../model/sending/consent.ts';
import { aboutApplication } from '../../audit.ts';
import { nullable } from '../../openapi/schemas.ts';
import { type Route, noContent, notFound, ok, pathId, userRoute } from '../../server/route.ts';
import type { Services } from '../../services.ts';

/** About three SMS. */
const MAX_ANSWER_LENGTH = 480;

const answer = (description: string) =>
  nullable(
    Type.String({
      maxLength: MAX_ANSWER_LENGTH,
      pattern: '^[^\\u0000]*$',
      description: `${description} Null is the default text in the language of the word; an empty text sends nothing.`,
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

const answerFields = {
  stop: answer('The answer to a word such as STOP.'),
  start: answer('The answer to a word such as START.'),
};
const Help = answer('The answer to a word such as HELP.');

export const PoliciesSchema = Type.Object(
  {
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

const tag = 'Applications';
const gone = () => notFound('the application');

/** The rules of an application for what it sends. */
export function policyRoutes({ store, audit }: Services): Route[] {
  async function read(
    caller: UserPrincipal,
    id: Id,
  ): Promise<{ application: Application; consent: ConsentSettings }> {
    const application = await store.applications.get(id);
    const consent = await store.consents.settings(id);
    if (!consent || application?.teamId !== caller.teamId) throw gone();
    return { application, consent };
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
        return ok(policiesView((await read(call.caller, pathId(call))).consent));
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
        const { application, consent: before } = await read(call.caller, pathId(call));
        const change = readChange(call.body.consent);
        const changes = changesOf(before, change);
        const about = aboutApplication(application);
        const entry = await audit.update(call.caller, 'application.updated', about, changes);
        if (entry && !(await store.consents.setSettings(application.id, change, entry))) {
          throw gone();
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
