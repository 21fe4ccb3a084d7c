import { spawn } from 'node:child_process';

/** Opens a URL in the person's browser. Returns false without a terminal or a desktop. */
export function openInBrowser(address: string): boolean {
  const command = opener();
  if (command === undefined || !process.stdout.isTTY) return false;
  const [program, ...args] = command;
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  // Without a browser, the printed URL is enough.
  child.on('error', () => {});
  child.unref();
  return true;
}

function opener(): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}
