import type { Command, Option } from 'commander';

import { createProgram } from '../../src/cli/program.ts';

/* The command line page, generated from the program itself. */

const START = `There are two kinds of commands. Remote commands call a server; most need a token. Operator commands work on the store of this
machine and need no token. In a checkout, run them as \`npm run -s switchboard -- COMMAND\`; this page calls them \`switchboard\`.

## First steps

\`switchboard quickstart\` takes you to a first message: it creates an application with a web chat and a key, opens the chat, writes to
you there and waits for your answer. It uses the server that you are logged in to; otherwise the service of this machine, which it starts
if it is not running.

\`switchboard demo\` fills your team with three applications in the [sandbox](sandbox.md), so that no page of the console is
empty: messages, failures and conversations on a dozen integrations. \`switchboard demo --remove\` removes them.

\`switchboard apps create NAME\` creates an application, \`switchboard keys create\` a key for it, and \`switchboard integrations add telegram\`
an integration. On a terminal, \`integrations add\` asks for each credential, explains where to find it, and checks them all with the
vendor before saving. In a script, give the credentials with \`--field\`. A command line is visible to other users of the machine, so
secrets are read from a file (\`--field token=@FILE\`) or from standard input (\`--field token=-\`). \`update\`, \`enable\`, \`disable\`
and \`delete\` change applications and integrations; in a script, \`delete\` needs \`--yes\`.

\`\`\`sh
switchboard login --url https://messages.example.com --token "$APP"   # without --token it prompts for email and password
switchboard send --to 123456789 --via telegram --text 'Your order is on its way.'
echo 'The backup failed.' | switchboard send --to ops@example.com --via email --title 'Backup'
switchboard messages --state queued,failed                              # "messages 17" shows one with its attempts
\`\`\`

\`--option name=value\` sets an option of the channel, such as \`--option silent=true\`; repeat it for more. \`switchboard channels telegram\` lists
the options of Telegram. With \`--wait\`, \`send\` waits until the message is sent or has failed. These commands print events until you stop them:

\`\`\`sh
switchboard tail                                         # live
switchboard listen --forward http://localhost:3000/hook  # forwards them to a webhook under development
\`\`\`

## Which server

A command uses the first of these: \`--profile\`; \`SWITCHBOARD_TOKEN\`, with \`SWITCHBOARD_URL\` (default http://localhost:8080);
\`SWITCHBOARD_PROFILE\`; the profile of your last login. With the last two, \`SWITCHBOARD_URL\`, if set, replaces the profile's URL.
Profiles are stored in \`switchboard/profiles.json\` in \`$XDG_CONFIG_HOME\` (\`~/.config\`), readable only by you. With a user token,
commands act for \`--application\`, the application of the profile, or the only application of the team. All remote commands that use a
profile take \`--profile\` and \`--application\`; they are not repeated below.

## For scripts

\`--json\` prints one JSON value; \`events\`, \`tail\` and \`listen\` print one line of JSON per event. An error is one line on
standard error. Output is colored only on a terminal; \`NO_COLOR\` turns colors off.

| exit code | |
| --- | --- |
| 0 | success; with \`send --wait\`, the message was sent |
| 1 | failure: the request or the message failed, or a check found a problem |
| 2 | invalid command line or setting; nothing was done |
| 3 | not found |

\`switchboard completion bash\` (\`zsh\`, \`fish\`) prints a completion script: \`source <(switchboard completion bash)\`.
`;

/** Options that most commands share; the page describes them once. */
const SHARED = new Map(
  createProgram()
    .commands.find((command) => command.name() === 'mcp')
    ?.options.map(({ flags, description }) => [flags, description]),
);

export function commandPage(notice: string): string {
  const program = createProgram();
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  const sections = [...groups].map(([heading, commands]) => {
    return `## ${heading.replace(/:$/, '')}\n\n${commands.map((command) => section(command)).join('\n')}`;
  });
  return `# Command line

${notice}
<!-- From src/cli/program.ts and src/cli/remote. -->

${START}
${sections.join('\n')}`;
}

/** A command, or a list of those below it. */
function section(command: Command): string {
  const name = `switchboard ${command.name()}`;
  const alias = command.alias();
  const heading = `### ${name}\n\n${alias ? `Alias: \`switchboard ${alias}\`. ` : ''}`;
  if (command.commands.length === 0) return `${heading}${described(command, name)}\n`;
  const below = command.commands.map((one) => {
    const usage = `${name} ${one.name()}`;
    const text = described(one, usage).replaceAll('\n\n', '\n').replaceAll('\n-', '\n  -');
    return text.startsWith('`') ? `- ${text}` : `- \`${usage}\`: ${uncapitalized(text)}`;
  });
  return `${heading}${sentence(command.description())}\n\n${below.join('\n')}\n`;
}

function described(command: Command, name: string): string {
  const args = command.registeredArguments.map((one) => {
    const argument = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? ` <${argument}>` : ` [${argument}]`;
  });
  const own = command.options.filter(({ flags, description }) => SHARED.get(flags) !== description);
  const json = own.some(({ flags }) => flags === JSON_FLAG) ? ' `--json` prints JSON.' : '';
  const options = own
    .filter(({ flags }) => flags !== JSON_FLAG)
    .map(
      (option) =>
        `\`${option.flags}\`${option.mandatory ? ' (required)' : ''}: ${meaningOf(option)}`,
    );
  const text = command.description();
  const head = `${args.length > 0 ? `\`${name}${args.join('')}\`: ${text}.` : sentence(text)}${json}`;
  if (options.length === 0) return head;
  if (options.length <= MAX_INLINE) return `${head} ${options.join('; ')}.`;
  return `${head}\n\n${options.map((one) => `- ${one}`).join('\n')}`;
}

/** With the default, unless the description says it. */
function meaningOf({ description, defaultValue }: Option): string {
  const isShown = typeof defaultValue === 'number' || typeof defaultValue === 'string';
  return isShown && !description.includes('default')
    ? `${description}; default ${defaultValue}`
    : description;
}

const JSON_FLAG = '--json';
/** More options are listed line by line. */
const MAX_INLINE = 6;

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const uncapitalized = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
