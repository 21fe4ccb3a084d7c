import type { Command } from 'commander';

import { createProgram } from '../src/cli/program.ts';
import { table } from './table.ts';

/* The page about the command line, made from the program itself. */

const START = `The commands are of two kinds. Those for everyone call a server, wherever it is, by a token. Those for the operator work on the
store of this machine, and need no token. \`npm run -s switchboard -- COMMAND\` runs them in a checkout; here they are called
\`switchboard\`.

## The first steps

\`\`\`sh
switchboard login --url https://messages.example.com --token "$APP"   # without --token it asks for email and password
switchboard send --to 123456789 --via telegram --text 'Your order is on its way.'
echo 'The backup failed.' | switchboard send --to ops@example.com --via email --title 'Backup'
switchboard messages --state queued,failed                              # and "messages 17", with every attempt
\`\`\`

With \`--wait\`, \`send\` ends when the message is sent or came to nothing. These show what happens, until they are ended:

\`\`\`sh
switchboard tail                                         # as it happens
switchboard listen --forward http://localhost:3000/hook  # the same, to a webhook that you are writing
\`\`\`

## Which server

In this order: the profile that \`--profile\` names; \`SWITCHBOARD_URL\` and \`SWITCHBOARD_TOKEN\`; the profile that
\`SWITCHBOARD_PROFILE\` names; the one that you logged in to last. Profiles are in \`switchboard/profiles.json\` of
\`$XDG_CONFIG_HOME\` (\`~/.config\`), which only you can read. With a token of a user, messages, events and integrations are
those of \`--application\`, of the application that the profile was made with, or of the only one there is. All commands that
call a server take these two options; they are not repeated below.

## For scripts

\`--json\` prints one JSON value; \`events\`, \`tail\` and \`listen\` print a line of JSON for each event. What goes wrong is one line
on standard error. Colours are for terminals, and \`NO_COLOR\` turns them off.

| exit code | |
| --- | --- |
| 0 | it worked; with \`send --wait\`, the message is sent |
| 1 | it was tried and did not work; the message came to nothing, the check found something |
| 2 | the command line or a setting is wrong; nothing was tried |
| 3 | what was named does not exist |

\`switchboard completion bash\` (\`zsh\`, \`fish\`) prints what completes commands: \`source <(switchboard completion bash)\`.
`;

/** What most commands take, in the same words. */
const SHARED = new Map(
  createProgram()
    .commands.find((command) => command.name() === 'mcp')
    ?.options.map(({ flags, description }) => [flags, description]),
);

export function commandPage(notice: string): string {
  const program = createProgram();
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  const sections = [...groups].map(([heading, commands]) => {
    return `## ${heading.replace(/:$/, '')}\n\n${commands.flatMap((command) => described(command)).join('\n')}`;
  });
  return `# The command line

${notice}
<!-- From src/cli/program.ts and src/cli/remote-commands.ts. -->

${START}
${sections.join('\n')}`;
}

function described(command: Command, way = 'switchboard'): string[] {
  const name = `${way} ${command.name()}`;
  const below = command.commands.flatMap((one) => described(one, name));
  const args = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}]`,
  );
  const usage = args.length > 0 ? `\`${name}${args.join('')}\`\n\n` : '';
  const own = command.options.filter(({ flags, description }) => SHARED.get(flags) !== description);
  const options = own.map(({ flags, description }) => [`\`${flags}\``, description]);
  const head = `### ${name}\n\n${usage}${sentence(command.description())}\n`;
  if (below.length > 0) return below;
  if (own.length === 1 && own[0]?.flags === '--json')
    return [`${head}\n\`--json\`: ${own[0].description}.\n`];
  return [options.length > 0 ? `${head}\n${table(['option', ''], options)}` : head];
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
