import type { ProblemCode } from '../model/problem.ts';
import { COMMAND } from './command-name.ts';

/*
 * The service names a wrong field by a JSON pointer into the request. A person typed an option and an assistant gave a
 * parameter, so errors name those instead.
 */

/** Wording of errors for one kind of caller. */
export interface Vocabulary {
  /** Name of the option or parameter that fills a field of the request. */
  nameOf(pointer: string): string;
  /** Help texts that replace those of the catalog, which are about HTTP requests. */
  help: Readonly<Partial<Record<ProblemCode, string>>>;
}

/** Options of the command line; `argv` has those that were typed. */
export function commandLine(argv: readonly string[]): Vocabulary {
  const typed = new Set(argv.map((word) => word.split('=', 1)[0]));
  const files = FILES.filter((name) => typed.has(`--${name}`));
  return {
    nameOf(pointer) {
      const option = optionIn(pointer);
      if (option !== undefined) return `--option ${option}`;
      if (typed.has('integrations') && CREDENTIAL.test(pointer))
        return `--field ${pointer.slice(1)}`;
      const name = parameterFor(pointer, files);
      const flag = `--${name.replaceAll('_', '-')}`;
      return PROMPTED.has(name) && !typed.has(flag) ? name : flag;
    },
    help: {
      invalid_fields: 'Add --help to see the options.',
      not_found: 'Check the id, and the application (--application).',
      no_integration: 'Choose an integration with --via; "integrations" lists them.',
      unknown_channel: '"channels" lists the channels.',
      unsupported: '"channels NAME" lists the features of a channel.',
      template_refused:
        '"templates" lists your templates, "templates --integration ID" those of a vendor.',
      integration_disabled:
        'Enable it with "integrations enable", or choose another one with --via.',
      integration_incomplete:
        'Add the missing credentials with "integrations update", or choose another integration with --via.',
      token_invalid: `Log in again: ${COMMAND} login.`,
      token_expired: `Log in again: ${COMMAND} login.`,
    },
  };
}

/** Parameters of an MCP tool. */
export function toolParameters(input: unknown): Vocabulary {
  const isObject = typeof input === 'object' && input !== null;
  const files = FILES.filter((name) => isObject && name in input);
  return {
    nameOf(pointer) {
      const option = optionIn(pointer);
      return option === undefined ? parameterFor(pointer, files) : `options.${option}`;
    },
    help: {
      invalid_fields: '',
      not_found: 'Check the id.',
      no_integration: 'Choose an integration with via; list_integrations lists them.',
      unknown_channel: 'list_channels lists the channels.',
      unsupported: 'Send a new message instead; list_channels lists the features of a channel.',
    },
  };
}

/** Fields that are prompted for or are arguments, so they have no flag. */
const PROMPTED: ReadonlySet<string> = new Set(['name', 'password', 'family', 'address']);

/** A credential of an integration. */
const CREDENTIAL = /^\/(token|secret|refresh|username|address|consumer_key|consumer_secret)$/;

/** In the order in which they become attachments. */
const FILES = ['image', 'document'] as const;

const PARAMETERS: readonly (readonly [RegExp, string])[] = [
  [/^\/message\/to(\/|$)/, 'to'],
  [/^\/message\/generator(\/|$)/, 'via'],
  [/^\/message\/object\/content$/, 'text'],
  [/^\/message\/object\/name$/, 'title'],
  [/^\/message\/object\/id$/, 'id'],
  [/^\/message\/object\/inReplyTo(\/|$)/, 'reply_to'],
  [/^\/filter\/integration_id$/, 'integration'],
  [/^\/filter\/created_after$/, 'after'],
  [/^\/filter\/created_before$/, 'before'],
  [/^\/webhook_url$/, 'webhook'],
  [/^\/routes(\/|$)/, 'route'],
  [/^\/send_at(\/local)?$/, 'at'],
  [/^\/(template|outside_window)(\/name)?$/, 'template'],
  [/^\/(template|outside_window)\/parameters(\/|$)/, 'parameter'],
  [/^\/members(\/|$)/, 'member'],
  [/^\/fields(\/|$)/, 'field'],
];

/** The name of a channel's option; https://www.rfc-editor.org/rfc/rfc6901#section-4 */
function optionIn(pointer: string): string | undefined {
  const [, name] = /^\/options\/([^/]+)$/.exec(pointer) ?? [];
  return name?.replaceAll('~1', '/').replaceAll('~0', '~');
}

function parameterFor(pointer: string, files: readonly string[]): string {
  const [, , at] = /^\/message\/object\/(attachment\/(\d+)\/)?url$/.exec(pointer) ?? [];
  if (pointer.endsWith('/url')) return files[Number(at ?? 0)] ?? 'buttons';
  if (pointer.startsWith('/message/object/attachment/')) return 'buttons';
  const [, name] = PARAMETERS.find(([pattern]) => pattern.test(pointer)) ?? [];
  return name ?? pointer.slice(pointer.lastIndexOf('/') + 1);
}
