import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { record, type Utterance } from '@overtone/testkit/recordings';
import type { Browser, Locator, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Recordings, ScriptedContext } from './context.ts';
import { openHands, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { until } from './until.ts';

export const password = 'Spoken-Horse-9-Battery';
/** The woman of the other recordings is the second who speaks. */
const visit: readonly Utterance[] = [
  { voice: 'rms', text: 'The visitors arrive at nine, and they want to see the whole factory.' },
  { voice: 'slt', text: 'Then I will wait for them at the gate with the keys and the helmets.' },
  { voice: 'rms', text: 'Please show them the new machine before we have lunch together.' },
  { voice: 'slt', text: 'I do not know how the new machine works, so I need your help.' },
];

/** A person with two recordings in which the same two people speak, and a super administrator, each with a browser. */
export type Speakers = {
  browser: Browser;
  boss: Hands;
  person: Hands;
  client: Client;
  root: Client;
  /** The person's recordings. */
  first: string;
  second: string;
};

export async function startSpeakers({ scripted, recordings, screenshots }: ScriptedContext): Promise<Speakers> {
  const { instance } = await scripted.get();
  const root = await signIn(instance.baseUrl, admin.email, admin.password);
  // As on a new instance, also after another suite.
  await root.send('PUT', '/api/admin/voice-profiles', { profiles_enabled: null });
  const email = `voices-${randomUUID().slice(0, 8)}@example.com`;
  await root.send('POST', '/api/admin/users', { email, password, must_change_password: false });
  const client = await signIn(instance.baseUrl, email, password);
  const upload = async (path: string, number: number) =>
    uploadWithRetry(client, await createCopy(path, recordings.folder, number));
  const first = await upload(recordings.meeting.path, 14_001);
  const second = await upload(recordings.cooking.path, 14_002);
  for (const file of [first, second]) assert.equal((await client.completed(file)).speakers.length, 2);
  const browser = await launchBrowser();
  const boss = await openHands(browser, instance.baseUrl, screenshots);
  const person = await openHands(browser, instance.baseUrl, screenshots);
  await boss.signIn(admin.email, admin.password, 'Library');
  await person.signIn(email, password, 'Library');
  return { browser, boss, person, client, root, first, second };
}

/** Uploads a third recording of the same two people, called visit. */
export async function uploadVisit(client: Client, { folder }: Recordings): Promise<string> {
  const { path } = await record(join(folder, 'visit.wav'), visit);
  const file = await uploadWithRetry(client, path);
  await client.completed(file);
  return file;
}

export async function openSpeakersTab(page: Page, name: RegExp): Promise<void> {
  await page.goto('/speakers');
  await page.getByRole('tab', { name }).click();
}

/** A notice on the page. */
export function notice(page: Page, text: string): Locator {
  return page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: text });
}

type Suggested = { voice: { file_uuid: string; label: string }; profile: { name: string } };

/** The label of each voice of a recording that is suggested, with the name of the profile. */
export async function suggestedIn(client: Client, file: string): Promise<string[]> {
  const { suggestions } = await client.ok<{ suggestions: Suggested[] }>('GET', '/api/speaker-suggestions');
  return suggestions
    .filter(({ voice }) => voice.file_uuid === file)
    .map(({ voice, profile }) => `${voice.label} ${profile.name}`)
    .toSorted();
}

export async function namesIn(client: Client, file: string): Promise<(string | null)[]> {
  return (await client.file(file)).speakers.map(({ display_name: name }) => name);
}

export type ListedProfile = { uuid: string; name: string; speakers: number };

export async function profilesOf(client: Client): Promise<ListedProfile[]> {
  return (await client.ok<{ profiles: ListedProfile[] }>('GET', '/api/speaker-profiles')).profiles;
}

/** Checks that what is shown is accessible and fits into windows of all widths. */
export async function checkWidths(
  page: Page,
  { name, screenshots, open = async () => {} }: { name: string; screenshots: string; open?: () => Promise<void> },
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await open();
    assert.deepEqual(await barriers(page, schemesAt(width)), [], `${name} has accessibility violations (${width})`);
    await until(`${name} fits into ${width} pixels`, () => fitsWidth(page));
    await page.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
