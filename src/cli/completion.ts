import type { Command } from 'commander';

import { CliError, EXIT } from './exit.ts';
import { print } from './print.ts';

/** Prints a completion script, generated from the commands. */
export function completion(shell: string, program: Command): void {
  const write = SHELLS[shell];
  if (!write) throw new CliError(`expected bash, zsh or fish, not "${shell}"`, EXIT.usage);
  print(write(wordsOf(program)));
}

/** Subcommands and options by command. */
function wordsOf(command: Command, path = ''): Map<string, string[]> {
  const words = [
    ...command.commands.map((subcommand) => subcommand.name()),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  const nested = command.commands.flatMap((subcommand) => [
    ...wordsOf(subcommand, `${path} ${subcommand.name()}`.trim()),
  ]);
  return new Map([[path, words], ...nested]);
}

const SHELLS: Readonly<Record<string, (words: Map<string, string[]>) => string>> = {
  bash: (words) => `_switchboard() {
  local called="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) called="\${called:+$called }$word" ;; esac
  done
  local candidates=""
  while :; do
    case "$called" in
${[...words].map(([path, list]) => `      "${path}") candidates="${list.join(' ')}"; break ;;`).join('\n')}
    esac
    case "$called" in *" "*) called="\${called% *}" ;; *) called="" ;; esac
  done
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _switchboard switchboard`,
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit
${SHELLS['bash']?.(words) ?? ''}`,
  fish: (words) =>
    [...words]
      .map(([path, list]) => {
        const condition =
          path === ''
            ? '__fish_use_subcommand'
            : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
        return `complete -c switchboard -f -n '${condition}' -a '${list.join(' ')}'`;
      })
      .join('\n'),
};
