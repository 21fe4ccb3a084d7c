import { similarNames } from '../lib/text/similar-names.ts';
import { invalidFields, pointerToken } from '../model/problem.ts';
import { RouteSchema, TemplateRequestSchema, instructionFields } from './instructions.ts';

/*
 * Unknown members beside an activity are ignored, but those that seem to mean an instruction are refused: a typo, or another
 * API's name for an instruction, must not change how the message is sent. The activity itself may have any members.
 */

/** Names in other APIs, in lower case without separators, by the field that they mean. */
type Synonyms = Readonly<Record<string, readonly string[]>>;

interface MemberRules {
  fields: readonly string[];
  synonyms: Synonyms;
  /** Fields that belong elsewhere, with what to say about them. */
  misplaced: ReadonlyMap<string, string>;
}

const INSTRUCTIONS = Object.keys(instructionFields);

const words = (list: string) => list.trim().split(/\s+/);

const pairs = (names: readonly string[], detail: string) =>
  names.map((name): [string, string] => [name, detail]);

const EXPIRY_NAMES = words(`
  endtime expiresat expireat expires expiry expiration expirationtime validuntil
  validityperiod validity deadline`);

const BESIDE_MESSAGE: MemberRules = {
  fields: ['message', ...INSTRUCTIONS],
  synonyms: {
    send_at: words(`
      schedule scheduled scheduledat scheduleat scheduledfor schedulefor scheduledate
      scheduleddate scheduletime scheduledtime scheduleddatetime sendtime senddate
      sendon sendafter sendlater senddatetime sendattime deliverat deliverytime
      deliveryat deliveryattime deliverafter deliveron postat publishat delay
      delayuntil startat notbefore`),
    routes: words(`
      routing routings routeto fallback fallbacks fallbackchannel via
      fallbackchannels fallbackroutes failover failovers channels
      alternatives providers pool pools`),
    template: words(`
      templatename templateid templatekey templatealias templatedata contentsid
      templateparameters templateparams templatevariables templatelanguage
      contentvariables dynamictemplatedata templatemodel hsm variables parameters
      mergevars substitutions messagetemplate templating`),
    outside_window: words(`
      windowtemplate outsidetemplate outsidewindowtemplate
      fallbacktemplate closedwindow windowclosed outofwindow outsideofwindow`),
    category: words(`
      categories messagecategory messagetype traffictype messagestream marketing
      transactional verification ismarketing istransactional promotional`),
    options: words(`
      channeloptions messageoptions sendoptions deliveryoptions channelsettings
      overrides channeldata`),
  },
  misplaced: new Map([
    ...pairs(['starttime'], 'belongs in message, as startTime'),
    ...pairs(EXPIRY_NAMES, 'belongs in message, as endTime'),
  ]),
};

const IN_ROUTE: MemberRules = {
  fields: Object.keys(RouteSchema.properties),
  synonyms: {
    via: words(`
      channel channelname integration integrationid provider pool use generator name`),
    to: ['recipient', 'address', 'toid', 'number', 'phone', 'phonenumber', 'email', 'destination'],
    after: words(`
      afterseconds timeout delay wait waitfor within deadline ttl failoverafter
      fallbackafter duration`),
    until: ['condition', 'conditionstatus', 'untilstate', 'unless', 'status', 'state', 'expect'],
    template: BESIDE_MESSAGE.synonyms['template'] ?? [],
    options: BESIDE_MESSAGE.synonyms['options'] ?? [],
  },
  misplaced: new Map([
    ...pairs(['sendat', 'category', 'outsidewindow', 'routes'], 'belongs beside message'),
    ...pairs(['fallback'], 'belongs beside message, as routes'),
  ]),
};

const IN_TEMPLATE: MemberRules = {
  fields: Object.keys(TemplateRequestSchema.properties),
  synonyms: {
    name: ['id', 'template', 'templatename', 'templateid', 'key', 'alias', 'contentsid', 'sid'],
    language: ['lang', 'languagecode', 'locale', 'languagepolicy'],
    parameters: words(`
      params param args arguments variables vars values data components placeholders
      contentvariables bodyparams model mergevars`),
  },
  misplaced: new Map(),
};

const IN_SEND_AT: MemberRules = {
  fields: ['local', 'zone'],
  synonyms: { local: ['date', 'day', 'time', 'at', 'localtime'], zone: ['timezone', 'tz'] },
  misplaced: new Map(),
};

const IN_BATCH: MemberRules = {
  fields: ['messages'],
  synonyms: {},
  misplaced: new Map([
    ...INSTRUCTIONS.flatMap((field) =>
      pairs(
        [withoutSeparators(field), ...(BESIDE_MESSAGE.synonyms[field] ?? [])],
        `belongs in each item of messages, as ${field} beside its message`,
      ),
    ),
    ...pairs(['starttime'], 'belongs in the message of each item, as startTime'),
    ...pairs(EXPIRY_NAMES, 'belongs in the message of each item, as endTime'),
  ]),
};

interface MessageBody {
  send_at?: string | object | undefined;
  template?: object | undefined;
  outside_window?: object | undefined;
  routes?: readonly { template?: object | undefined }[] | undefined;
}

/** Throws a Problem if an unknown member, beside the activity or within an instruction, seems to mean a known one. */
export function checkMembers(body: MessageBody, pointer: string): void {
  const { send_at, template, outside_window, routes = [] } = body;
  checkNames(body, BESIDE_MESSAGE, pointer);
  if (typeof send_at === 'object') checkNames(send_at, IN_SEND_AT, `${pointer}/send_at`);
  if (template) checkNames(template, IN_TEMPLATE, `${pointer}/template`);
  if (outside_window) checkNames(outside_window, IN_TEMPLATE, `${pointer}/outside_window`);
  for (const [i, route] of routes.entries()) {
    const at = `${pointer}/routes/${i}`;
    checkNames(route, IN_ROUTE, at);
    if (route.template) checkNames(route.template, IN_TEMPLATE, `${at}/template`);
  }
}

/** Throws a Problem if a member beside the messages of a batch is, or seems to mean, an instruction. */
export const checkBatchMembers = (body: object): void => checkNames(body, IN_BATCH, '');

function checkNames(body: object, rules: MemberRules, pointer: string): void {
  for (const name of Object.keys(body)) {
    if (rules.fields.includes(name)) continue;
    const detail = faultOf(name.slice(0, MAX_NAME_LENGTH), rules);
    if (detail === undefined) continue;
    const token = pointerToken(name.slice(0, MAX_NAME_LENGTH));
    throw invalidFields({ pointer: `${pointer}/${token}`, detail });
  }
}

const MAX_NAME_LENGTH = 64;
/** With three, `notes` would be refused as `routes`, and `message_id` as `message`. */
const LETTERS_PER_EDIT = 4;

function faultOf(name: string, { fields, synonyms, misplaced }: MemberRules): string | undefined {
  const short = withoutSeparators(name);
  const elsewhere = misplaced.get(short);
  if (elsewhere !== undefined) return elsewhere;
  const misplacedFields = INSTRUCTIONS.filter((each) => misplaced.has(withoutSeparators(each)));
  const [field] =
    Object.entries(synonyms).find(([, names]) => names.includes(short)) ??
    similarNames(snakeCase(name), [...fields, ...misplacedFields], LETTERS_PER_EDIT);
  if (field === undefined) return undefined;
  return misplaced.get(withoutSeparators(field)) ?? `is unknown; did you mean ${field}?`;
}

/** `sendAt` and `Send-At` are misspellings of `send_at`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/[-. ]/g, '_')
    .toLowerCase();
}

function withoutSeparators(name: string): string {
  return snakeCase(name).replaceAll('_', '');
}
