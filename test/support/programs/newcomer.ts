import { readFileSync } from 'node:fs';

import { ROOT } from '../sources.ts';
import { until } from '../until.ts';
import { openBrowser, openPage } from './browser.ts';
import { commandLine } from './command.ts';
import { buildConsole } from './console.ts';

/* A newcomer in a new checkout: from `npm start` to a first message that is answered on the phone. */

export interface Newcomer {
  /** Seconds since `npm start`, in order. */
  seconds: { listening: number; signedIn: number; answered: number };
  /** Errors on the page. */
  faults: string[];
}

/** The console is built before, as `npm ci` does. */
export async function playNewcomer(): Promise<Newcomer> {
  const environment = {
    SWITCHBOARD_CONSOLE_DIR: buildConsole(),
    PATH: process.env['PATH'] ?? '',
    npm_config_offline: 'true',
  };
  await using cli = await commandLine('sqlite', environment);
  await using browser = await openBrowser();
  const began = performance.now();
  const elapsed = () => Math.round((performance.now() - began) / 100) / 10;
  const started = cli.start(['--prefix', ROOT, 'start'], { launcher: ['npm'] });
  const [, file = ''] = await started.printed('stderr', /(\S*[./]sign-in-link)\b[^]*\/docs\n/);
  const listening = elapsed();
  // In a terminal the link is printed; without one it is in a file.
  const [, link = ''] = /(http\S+\/sign-in#code=\S+)/.exec(readFileSync(file, 'utf8')) ?? [];
  await using visit = await openPage(browser, link);
  const { page } = visit;
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByLabel('Password').fill('a long example password');
  await page.getByTestId('save').click();
  await page.waitForURL('**/app/start');
  const signedIn = elapsed();
  await page.getByTestId('create').click();
  await page.getByTestId('choose-telegram').click();
  const phone = page.getByTestId('phone');
  await page.getByTestId('send').click();
  await phone.getByTestId('received').waitFor();
  await phone.getByTestId('answer').fill('Hello, machine');
  await phone.getByTestId('answer').press('Enter');
  await page.getByTestId('answer-text').waitFor();
  const answered = elapsed();
  await until('all steps are done', async () => {
    const done = await page.getByTestId('steps-done').getAttribute('data-done');
    return done === '4';
  });
  return { seconds: { listening, signedIn, answered }, faults: visit.faults };
}
