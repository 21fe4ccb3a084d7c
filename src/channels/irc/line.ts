/** A line from the server. https://modern.ircdocs.horse/#message-format */
export interface IrcLine {
  /** The sender: a nick or a server name; empty for the server itself. */
  from: string;
  /** In upper case, or three digits. */
  command: string;
  params: readonly string[];
  /** The message tags. https://ircv3.net/specs/extensions/message-tags */
  tags: ReadonlyMap<string, string>;
}

/** Parses a line. Never fails. */
export function parseIrcLine(line: string): IrcLine {
  let rest = line.replace(/[\r\n]+$/, '');
  let tags: IrcLine['tags'] = NO_TAGS;
  if (rest.startsWith('@')) {
    tags = tagsIn(wordOf(rest).slice(1));
    rest = afterWord(rest);
  }
  let from = '';
  if (rest.startsWith(':')) {
    from = wordOf(rest).slice(1).split('!', 1)[0] ?? '';
    rest = afterWord(rest);
  }
  const command = wordOf(rest).toUpperCase();
  const params: string[] = [];
  for (rest = afterWord(rest); rest !== ''; rest = afterWord(rest)) {
    if (rest.startsWith(':')) {
      params.push(rest.slice(1));
      break;
    }
    params.push(wordOf(rest));
  }
  return { from, command, params, tags };
}

const NO_TAGS: IrcLine['tags'] = new Map();
const ESCAPES: Readonly<Record<string, string>> = { ':': ';', s: ' ', r: '\r', n: '\n' };

function tagsIn(text: string): IrcLine['tags'] {
  return new Map(
    text.split(';').map((tag) => {
      const [name = ''] = tag.split('=', 1);
      const value = tag.slice(name.length + 1);
      return [
        name,
        value.replaceAll(/\\(.?)/g, (_, character: string) => ESCAPES[character] ?? character),
      ];
    }),
  );
}

/** Folds case as servers do: `[]\~` are the capitals of `{}|^`. */
export function foldName(name: string): string {
  const folds: Readonly<Record<string, string>> = { '[': '{', ']': '}', '\\': '|', '~': '^' };
  return name.toLowerCase().replaceAll(/[[\]\\~]/g, (char) => folds[char] ?? char);
}

function wordOf(text: string): string {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
}

function afterWord(text: string): string {
  let at = text.indexOf(' ');
  if (at === -1) return '';
  while (text[at] === ' ') at++;
  return text.slice(at);
}
