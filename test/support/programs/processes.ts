import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** The command lines of all processes in a process group, except zombies. */
export function commandsInGroup(group: number): string[] {
  return existsSync('/proc/self/stat') ? fromProc(group) : fromPs(group);
}

function fromProc(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // The name in parentheses may contain anything; after it come state, parent and group.
        const [state, , pgid] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (Number(pgid) !== group || state === 'Z') return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
}

function fromPs(group: number): string[] {
  return execFileSync('ps', ['-eo', 'pgid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`${group} `) && !line.includes('<defunct>'))
    .map((line) => line.slice(String(group).length + 1));
}
