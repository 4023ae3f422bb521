import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers } from './barriers.ts';
import { launchBrowser } from './browser.ts';
import { actsFor, actCarelessly, forgetDrafts } from './careless-acts.ts';
import { placesOf, type Place, type World } from './careless-places.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, type Instance } from './instance.ts';
import { asService } from './service-access.ts';
import { choose, type Check, type Choice, type Suite } from './suite.ts';
import { enterPassage, saved } from './passages.ts';

/** What the browser prints for a request that was refused or cut off, and for the transcript without a recording. */
const refusals = /\b401\b|ERR_INTERNET_DISCONNECTED|WebSocket|404.*\/(content|nowhere)$/;

/** Which places and states are tried, and how many of the acts each place goes through. */
type Size = Choice & { actsPerPlace: number };

/** Journeys of a careless person: nothing typed is lost without a question. And every state of the screens is accessible. */
export function carelessInTheBrowser({ scripted, screenshots }: ScriptedContext, size: Size): Suite {
  let instance: Instance;
  let browser: Browser;
  let person: Hands;
  let page: Page;
  let api: Client;
  const world: World = { ...noWorld };
  const step = watchedStep(() => [person]);

  async function endSession(): Promise<void> {
    const { sessions } = await api.ok<{ sessions: { uuid: string; current: boolean }[] }>('GET', '/api/auth/sessions');
    for (const { uuid, current } of sessions) if (!current) await api.ok('DELETE', `/api/auth/sessions/${uuid}`);
  }
  async function signInAgain(): Promise<void> {
    await page.getByLabel('User name or e-mail address').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('#main').waitFor();
  }

  const start: Check = {
    rule: 'a transcript, a group and an account are there, and the person signs in',
    limitMs: 300_000,
    run: async () => {
      ({ instance } = await scripted.get());
      api = await signIn(instance.baseUrl, admin.email, admin.password);
      await allowRegistration(instance, true);
      Object.assign(world, await makeWorld(instance, api));
      browser = await launchBrowser();
      person = await openHands(browser, instance.baseUrl, screenshots);
      page = person.page;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await person.signIn(admin.email, admin.password, 'Library');
    },
  };
  const journeys = placesOf(noWorld).map(({ name }, at) =>
    step(
      `nothing typed is lost without a question: ${name}`,
      async () => {
        const place = placesOf(world)[at] as Place;
        for (const act of actsFor(place, at, size.actsPerPlace)) {
          try {
            await actCarelessly({ page, endSession, signInAgain }, place, act);
          } catch (error) {
            throw new Error(`a person ${act.name}`, { cause: error });
          } finally {
            await forgetDrafts(page);
          }
        }
      },
      refusals,
    ),
  );
  const accessible = statesOf(world).map(({ name }, at) =>
    step(
      `has no accessibility violation: ${name}`,
      async () => {
        const state = statesOf(world)[at] as State;
        await page.goto(state.path());
        await state.show(page);
        // Open menus and popovers are in portals outside of the landmarks, which is moderate and usual for them.
        assert.deepEqual(
          (await barriers(page)).filter((barrier) => !/, region: /.test(barrier)),
          [],
        );
        await person.snap(`state-${name.replaceAll(' ', '-')}`);
      },
      refusals,
    ),
  );
  return {
    name: 'A careless person in Chromium',
    checks: [start, ...choose(journeys, size), ...choose(accessible, size)],
    close: async () => {
      await allowRegistration(instance, null);
      if (world.recording !== '') await rm(dirname(world.recording), { recursive: true });
      await browser?.close();
    },
  };
}

const noWorld: World = { file: '', group: '', user: '', userLabel: '', recording: '' };

async function allowRegistration(instance: Instance, allow: boolean | null): Promise<void> {
  const root = await signIn(instance.baseUrl, admin.email, admin.password);
  await root.send('PUT', '/api/admin/auth-config/local', { allow_registration: allow });
}

type State = { readonly name: string; readonly path: () => string; readonly show: (page: Page) => Promise<void> };

/** Screens with a menu, a dialog or an editor open: the states that a look at the bare pages does not show. */
function statesOf(world: Pick<World, 'file' | 'recording'>): State[] {
  const file = () => `/files/${world.file}`;
  const home = () => '/';
  const press = (name: string | RegExp, ready: string) => async (page: Page) => {
    await page.getByRole('button', { name }).first().click();
    await page
      .getByRole(ready as 'menu')
      .first()
      .waitFor();
  };
  const selectFirst = async (page: Page) => {
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await page.getByTestId('bulk-bar').waitFor();
  };
  const fileAction = (item: string) => async (page: Page) => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('dialog').waitFor();
  };
  return [
    { name: 'a page that is not there', path: () => '/nowhere', show: (page) => page.locator('main h1').waitFor() },
    { name: 'sign-in', path: () => '/sign-in', show: (page) => page.getByLabel('Password', { exact: true }).waitFor() },
    { name: 'the library', path: home, show: (page) => page.getByTestId('file-list').waitFor() },
    { name: 'selected recordings', path: home, show: selectFirst },
    {
      name: 'tagging the selected recordings',
      path: home,
      show: async (page) => {
        await selectFirst(page);
        await press(/^Tag 1 recording/, 'dialog')(page);
      },
    },
    {
      name: 'sharing the selected recordings',
      path: home,
      show: async (page) => {
        await selectFirst(page);
        await press(/^Share 1 recording/, 'dialog')(page);
      },
    },
    {
      name: 'an upload',
      path: home,
      show: async (page) => {
        await page.getByTestId('file-input').setInputFiles(world.recording);
        await page.getByTestId('upload-dialog').waitFor();
      },
    },
    {
      name: 'a registration',
      path: () => '/register',
      show: (page) => page.getByLabel('Password', { exact: true }).waitFor(),
    },
    { name: 'search', path: () => '/search?q=passage', show: (page) => page.getByTestId('search-summary').waitFor() },
    { name: 'the bin', path: () => '/bin', show: (page) => page.getByTestId('bin-list').waitFor() },
    {
      name: 'the question before a permanent deletion',
      path: () => '/bin',
      show: press(/^Delete permanently/, 'dialog'),
    },
    { name: 'the account menu', path: home, show: press(/^Account of/, 'menu') },
    { name: 'the export dialog', path: file, show: press('Export', 'dialog') },
    { name: 'the speed menu', path: file, show: press(/^Speed/, 'menu') },
    { name: 'the menu of a speaker', path: file, show: press(/^Change speaker/, 'dialog') },
    { name: 'the menu of merging', path: file, show: press(/^Actions for/, 'menu') },
    { name: 'the shortcuts', path: file, show: press('Keyboard shortcuts', 'dialog') },
    { name: 'renaming a file', path: file, show: fileAction('Rename') },
    { name: 'sharing a file', path: file, show: fileAction('Share') },
    {
      name: 'editing a passage',
      path: file,
      show: correct,
    },
    { name: 'choosing a speaker by keys', path: file, show: chooseSpeaker },
  ];
}

async function correct(page: Page): Promise<void> {
  await enterPassage(page.getByTestId('segment').first());
  await page.keyboard.type(' A correction');
  await saved(page);
}

async function chooseSpeaker(page: Page): Promise<void> {
  await enterPassage(page.getByTestId('segment').first());
  await page.keyboard.press('Alt+s');
  await page.getByRole('dialog').waitFor();
}

/** A transcript of 200 passages of two speakers, without the work of an engine. */
async function makeWorld(instance: Instance, api: Client): Promise<World> {
  const me = await api.ok<{ uuid: string }>('GET', '/api/users/me');

  const account = { email: 'careless@example.org', full_name: 'Careless Person' };
  const group = await api.send<{ uuid: string }>('POST', '/api/groups', { name: 'Careless people' });
  const user = await api.send<{ uuid: string }>('POST', '/api/admin/users', {
    ...account,
    role: 'user',
    auth_type: 'local',
    password: 'Silver-Lantern-73',
    must_change_password: false,
  });
  const file = await asService(instance, 'media', async (query) => {
    const [made] = await query(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size, status, duration, completed_at, transcript_version)
       values ($1, 'careless.wav', 'Minutes of a meeting', 'none', 'audio/wav', 1, 'completed', 1000, now(), 1) returning uuid`,
      [me.uuid],
    );
    await query(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size, status, deleted_at, deleted_by)
       values ($1, 'deleted.wav', 'A deleted recording', 'none-deleted', 'audio/wav', 1, 'completed', now(), $1)`,
      [me.uuid],
    );
    const speakers = await query(
      `insert into speaker (media_file_id, name) select $1, 'SPEAKER_0' || n from generate_series(1, 2) n returning uuid`,
      [made?.['uuid']],
    );
    await query(
      `insert into transcript_segment (media_file_id, speaker_id, position, start_time, end_time, text, confidence, words)
       select $1, ($2::uuid[])[1 + (i / 3) % 2], i, i * 5, i * 5 + 4.8, 'Passage ' || i || ' of the meeting', 0.9, '[]'::jsonb
         from generate_series(0, 199) i`,
      [made?.['uuid'], speakers.map((speaker) => speaker['uuid'])],
    );
    return String(made?.['uuid']);
  });
  const recording = join(await mkdtemp(join(tmpdir(), 'careless-')), 'memo.wav');
  await writeFile(recording, 'RIFF');
  return { file, group: group.uuid, user: user.uuid, userLabel: `${account.full_name} (${account.email})`, recording };
}
