import assert from 'node:assert/strict';

import { SignIn } from '../../../src/http/auth/sign-in.ts';
import { systemClock } from '../../../src/lib/runtime/clock.ts';
import { type WatchedPage, assertFaultless } from './browser.ts';
import { PASSWORD, type TestConsole, axeFaults } from './console.ts';

/** The sign-in link of a user without a password. */
export async function newcomer({ service }: TestConsole): Promise<string> {
  const { owner } = await service.otherTeam();
  const code = await new SignIn(service.store, systemClock).createLink(owner.id);
  return `/sign-in#code=${code}`;
}

/** Follows the guided start from the sign-in link to a message that is answered. */
export async function followGuidedStart(visit: WatchedPage, name: string): Promise<void> {
  const { page } = visit;
  await page.getByTestId('welcome').waitFor();
  assert.equal(new URL(page.url()).hash, '', 'the code is removed from the URL');
  assert.deepEqual(await axeFaults(page), []);
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Email').fill(`${name}@example.com`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByTestId('save').click();

  await page.waitForURL('**/app/start');
  await page.getByTestId('name').fill('first-steps');
  await page.getByTestId('create').click();
  await page.getByTestId('choose-whatsapp').click();
  const phone = page.getByTestId('phone');
  await phone.getByTestId('no-messages').waitFor();
  assert.deepEqual(await axeFaults(page), []);

  const isWhole = await page
    .getByTestId('text')
    .evaluate(({ clientWidth, scrollWidth }) => scrollWidth <= clientWidth);
  assert.ok(isWhole, 'the suggested text is not cut off');
  await page.getByTestId('text').fill('Hello, Grace');
  await page.getByTestId('send').click();
  await phone.getByTestId('received').getByText('Hello, Grace').waitFor();
  await page.locator('[role="status"] [data-state="delivered"]').waitFor();

  await phone.getByTestId('answer').fill('Hello, machine');
  await phone.getByTestId('answer').press('Enter');
  await page.getByTestId('answer-text').getByText('Hello, machine').waitFor();
  await page.locator('[data-testid=steps-done][data-done="4"]').waitFor();
  assert.deepEqual(await axeFaults(page), []);

  // Another channel begins again, and is remembered.
  await page.getByTestId('choose-again').click();
  await page.getByTestId('choose-slack').click();
  await page.locator('[data-testid=steps-done][data-done="2"]').waitFor();
  await page.getByTestId('send').click();
  await phone.getByTestId('received').waitFor();
  assertFaultless(visit);
}
