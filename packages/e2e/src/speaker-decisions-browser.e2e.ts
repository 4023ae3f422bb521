import assert from 'node:assert/strict';
import type { Page, Route } from '@playwright/test';
import { saveForm } from './browser.ts';
import type { Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { watchedStep } from './hands.ts';
import {
  checkWidths,
  namesIn,
  notice,
  openSpeakersTab,
  profilesOf,
  startSpeakers,
  suggestedIn,
  uploadVisit,
  type Speakers,
} from './speakers.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

/** Who speaks, with real voices: from the switch that allows to store them to the deletion of all of them. */
export function speakerDecisionsInTheBrowser(context: ScriptedContext): Suite {
  const { recordings, screenshots } = context;
  let started: Speakers | undefined;
  let boss: Speakers['boss'];
  let page: Page;
  let client: Client;
  let first: string;
  let second: string;
  const step = watchedStep(() => (started ? [started.boss, started.person] : []));
  const nightly = forNightly(step);
  const entries = () => page.getByTestId('suggested-voice');
  const titleOf = async (file: string): Promise<string> => (await client.file(file)).title;
  const nameSpeaker = async (label: string, name: string): Promise<void> => {
    await page.getByRole('button', { name: `Rename ${label}`, exact: true }).click();
    await page.getByLabel(`Name of ${label}`, { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.locator(`[data-testid="speaker"][data-name="${name}"]`).waitFor();
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and two recordings have two speakers each',
      run: async () => {
        started = await startSpeakers(context);
        ({ boss, client, first, second } = started);
        page = started.person.page;
      },
    },
    step('no voice is stored before a super administrator allows it', async () => {
      await page.goto('/speakers');
      await page.getByText(/Recognising voices across recordings is switched off\./).waitFor();
      await boss.page.goto('/admin/voices');
      await boss.page.getByTestId('stored-voices').waitFor({ state: 'detached' });
      await boss.page.getByRole('switch', { name: 'Store voices and recognise them again' }).click();
      await saveForm(boss.page);
      await boss.page.getByTestId('stored-voices').waitFor();
      const confidence = boss.page.getByRole('textbox', { name: 'Suggest from a confidence of' });
      await confidence.fill('');
      await confidence.pressSequentially('0,8');
      assert.equal(await confidence.inputValue(), '0.8');
      await boss.page.getByRole('button', { name: 'Discard changes' }).click();
      await boss.page.getByRole('link', { name: 'Versions of the speaker index' }).click();
      await boss.page.getByRole('heading', { name: 'Speaker index' }).waitFor();
    }),
    step(
      'voices without a name are grouped over the recordings, with samples of which one plays at a time',
      async () => {
        await openSpeakersTab(page, /^Unnamed/);
        const shared = page.getByTestId('cluster').filter({ hasText: 'This voice speaks in 2 recordings' });
        await until('two voices are known', async () => (await shared.count()) === 2, jobLimitMs);
        const stop = page.getByRole('button', { name: /^Stop the sample/ });
        await page.getByTestId('sample').nth(0).click();
        await stop.waitFor();
        await page.getByTestId('sample').nth(1).click();
        const other = page.getByTestId('sample').nth(1);
        await until('the second plays', async () => (await other.getAttribute('aria-label'))?.startsWith('Stop'));
        await until('the first has stopped', async () => (await stop.count()) === 1);
      },
    ),
    nightly('a typed name stays with the voices that are left when one is assigned to another person', async () => {
      for (const index of [0, 1]) {
        let separated = '';
        // The answers are changed, not the voices, which the next steps need as they are.
        await page.route('**/api/speaker-clusters', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { clusters: { voices: { speaker_uuid: string }[] }[] };
          const clusters = body.clusters.flatMap(({ voices }) => [
            { voices: voices.filter((voice) => voice.speaker_uuid === separated), kept_apart: [] },
            { voices: voices.filter((voice) => voice.speaker_uuid !== separated), kept_apart: [] },
          ]);
          await route.fulfill({
            response,
            json: { ...body, clusters: clusters.filter(({ voices }) => voices.length > 0) },
          });
        });
        await page.route('**/api/speaker-clusters/separate', async (route) => {
          separated = (route.request().postDataJSON() as { speaker_uuid: string }).speaker_uuid;
          await route.fulfill({ status: 204 });
        });
        await openSpeakersTab(page, /^Unnamed/);
        const shown = page.getByTestId('cluster');
        await until('two voices are known', async () => (await shown.count()) === 2, jobLimitMs);
        const voices = shown.first().getByRole('listitem');
        const stays =
          (await voices
            .nth(1 - index)
            .getByRole('link')
            .textContent()) ?? '';
        await shown
          .first()
          .getByRole('combobox', { name: /^Name of the voice/ })
          .fill('Typed');
        await voices
          .nth(index)
          .getByRole('button', { name: /^Not the same person/ })
          .click();
        await until('one is separated', async () => (await shown.count()) === 3);
        const names = async (): Promise<string[]> =>
          Promise.all(
            (await shown.getByRole('combobox', { name: /^Name of the voice/ }).all()).map((box) => box.inputValue()),
          );
        assert.deepEqual(await names(), ['', 'Typed', '']);
        assert.equal(await shown.nth(1).getByRole('link').textContent(), stays);
        // Leaves without a question, and with the answers of the server.
        await shown
          .nth(1)
          .getByRole('combobox', { name: /^Name of the voice/ })
          .fill('');
        await page.unrouteAll({ behavior: 'wait' });
      }
    }),
    nightly(
      'voices that were said to be different people by mistake are one person again, also later',
      async () => {
        await openSpeakersTab(page, /^Unnamed/);
        const shown = page.getByTestId('cluster');
        const separateFirst = async (): Promise<void> => {
          await until('two groups', async () => (await shown.count()) === 2);
          await page
            .getByRole('button', { name: /^Not the same person/ })
            .first()
            .click();
          await until('one is separated', async () => (await shown.count()) === 3);
        };
        await separateFirst();
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await page.getByText('Undone.').waitFor();
        await separateFirst();
        await page.reload();
        await page.getByRole('tab', { name: /^Unnamed/ }).click();
        await until('both sides say it', async () => (await page.getByTestId('kept-apart').count()) === 2);
        await checkWidths(page, { name: 'speakers-kept-apart', screenshots });
        await page
          .getByRole('button', { name: /^Can be the same person/ })
          .first()
          .click();
        await until('two groups again', async () => (await shown.count()) === 2);
        assert.equal(await page.getByTestId('kept-apart').count(), 0);
        await separateFirst();
        const url = '**/api/speaker-clusters/separate/undo';
        const undoFirst = async (route: Route): Promise<void> => {
          await client.send('POST', '/api/speaker-clusters/separate/undo', route.request().postDataJSON());
          await route.continue();
        };
        await page.route(url, undoFirst, { times: 1 });
        await page
          .getByRole('button', { name: /^Can be the same person/ })
          .first()
          .click();
        await notice(page, 'The voices were not kept apart any more.').waitFor();
        await until('two groups again', async () => (await shown.count()) === 2);
      },
      /409/,
    ),
    nightly('the tab stays after a reload and on the way back from a recording', async () => {
      await openSpeakersTab(page, /^Unnamed/);
      const selected = page.getByRole('tab', { name: /^Unnamed/, selected: true });
      await selected.waitFor();
      await page.getByRole('tab', { name: /^Profiles/ }).click();
      await page.reload();
      await page.getByRole('tab', { name: /^Profiles/, selected: true }).waitFor();
      await page.getByRole('tab', { name: /^Unnamed/ }).click();
      await page.getByTestId('cluster').first().getByRole('link').first().click();
      await page.getByTestId('speaker').first().waitFor();
      await page.goBack();
      await selected.waitFor();
    }),
    step('a named voice is suggested in the other recording, and is never applied unasked', async () => {
      await page.goto(`/files/${first}`);
      await nameSpeaker('Speaker 1', 'Anna');
      await nameSpeaker('Speaker 2', 'Ben');
      await until('both are suggested', async () => (await suggestedIn(client, second)).length === 2, jobLimitMs);
      assert.deepEqual(await suggestedIn(client, second), ['SPEAKER_01 Ben', 'SPEAKER_02 Anna']);
      assert.deepEqual(await namesIn(client, second), [null, null]);
      await page.goto(`/files/${second}`);
      await page.getByTestId('voice-suggestions').getByText('Speaker 2 is probably Anna').waitFor();
    }),
    nightly('a rejection is undone from its notice, or later in the profile', async () => {
      await page.goto(`/files/${second}`);
      const anna = page.getByTestId('voice-suggestions').getByText('Speaker 2 is probably Anna');
      const reject = page.getByRole('button', { name: 'Reject: Speaker 2 is not Anna' });
      await reject.click();
      await anna.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await anna.waitFor();
      await reject.click();
      await anna.waitFor({ state: 'detached' });
      await openSpeakersTab(page, /^Profiles/);
      await page.getByRole('button', { name: 'Recordings of Anna' }).click();
      const rejected = page.getByTestId('rejected-voices');
      await rejected.waitFor();
      await checkWidths(page, { name: 'speakers-rejected', screenshots });
      await rejected.getByRole('button', { name: /^It is Anna: Speaker 2 in / }).click();
      await rejected.waitFor({ state: 'detached' });
      await until('it is named', async () => (await namesIn(client, second)).includes('Anna'));
      await page
        .getByTestId('profile-voices')
        .getByRole('listitem')
        .filter({ hasText: await titleOf(second) })
        .getByRole('button')
        .last()
        .click();
      await rejected.waitFor();
      await notice(page, `Speaker 2 in ${await titleOf(second)} is not Anna. The name leaves the transcript.`)
        .getByRole('button', { name: 'Undo', exact: true })
        .click();
      await until('it is named again', async () => (await namesIn(client, second)).includes('Anna'));
      // The next steps need an open suggestion.
      const [, speaker] = (await client.file(second)).speakers;
      const decide = async (action: string): Promise<void> => {
        const profile = (await profilesOf(client)).find(({ name }) => name === 'Anna');
        await client.send('POST', `/api/speakers/${speaker?.uuid}/verify`, { action, profile_uuid: profile?.uuid });
      };
      await decide('remove');
      await decide('undo_reject');
      await until('both are suggested', async () => (await suggestedIn(client, second)).length === 2, jobLimitMs);
    }),
    nightly(
      'two quick clicks decide about one voice, and an accepted voice is taken back from its notice',
      async () => {
        await openSpeakersTab(page, /^Suggestions/);
        await until('two suggestions', async () => (await entries().count()) === 2);
        const box = await entries()
          .first()
          .getByRole('button', { name: /^Accept/ })
          .boundingBox();
        assert.ok(box);
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        await page.mouse.click(x, y);
        await until('one is left', async () => (await entries().count()) === 1);
        await page.mouse.click(x, y);
        const named = notice(page, `in ${await titleOf(second)} is named`);
        await named.getByRole('button', { name: 'Undo', exact: true }).click();
        await page.getByText('Undone.').waitFor();
        await until('both are suggested', async () => (await suggestedIn(client, second)).length === 2, jobLimitMs);
        assert.deepEqual(await namesIn(client, second), [null, null]);
      },
    ),
    nightly(
      'a rejection on a page that is older than an acceptance changes nothing, and the page shows the decision',
      async () => {
        await openSpeakersTab(page, /^Suggestions/);
        await until('two suggestions', async () => (await entries().count()) === 2);
        const names = await namesIn(client, second);
        const decided = Promise.withResolvers<(action: string) => Promise<unknown>>();
        const acceptFirst = async (route: Route): Promise<void> => {
          const body = route.request().postDataJSON() as { profile_uuid: string };
          const { pathname } = new URL(route.request().url());
          const decide = (action: string) => client.send('POST', pathname, { ...body, action });
          await decide('accept');
          decided.resolve(decide);
          await route.continue();
        };
        await page.route('**/api/speakers/*/verify', acceptFirst, { times: 1 });
        await entries()
          .first()
          .getByRole('button', { name: /^Reject: Speaker \d in / })
          .click();
        await notice(page, 'The decision wasn’t saved').getByText('It was already decided who this voice is').waitFor();
        await until('one is left', async () => (await entries().count()) === 1);
        assert.equal((await namesIn(client, second)).filter((name) => name !== null).length, 1);
        const decide = await decided.promise;
        await decide('remove');
        await decide('undo_reject');
        assert.deepEqual(await namesIn(client, second), names);
        await until('both are suggested', async () => (await suggestedIn(client, second)).length === 2, jobLimitMs);
      },
      /409/,
    ),
    nightly(
      'the list of suggestions is operated by keys: move, reject, accept, and the next entry has the focus',
      async () => {
        await openSpeakersTab(page, /^Suggestions/);
        await until('two suggestions', async () => (await entries().count()) === 2);
        await entries().first().focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowUp');
        const text = (await entries().first().textContent()) ?? '';
        await page.keyboard.down('r');
        await until(
          'one is left with the focus',
          async () => (await page.locator('li:focus').count()) === 1 && (await entries().count()) === 1,
        );
        // A key that is still down repeats.
        await page.keyboard.down('r');
        await page.keyboard.up('r');
        await page.keyboard.press('a');
        await page.getByText('No suggestions.').waitFor();
        const accepted = text.startsWith('Anna') ? 'Ben' : 'Anna';
        assert.deepEqual(new Set(await namesIn(client, second)), new Set([accepted, null]));
      },
    ),
    nightly('the next recording gets suggestions, and a rejection is remembered', async () => {
      await openSpeakersTab(page, /^Unnamed/);
      const third = await uploadVisit(client, recordings);
      await until('both are suggested', async () => (await suggestedIn(client, third)).length === 2, jobLimitMs);
      // The open page shows the new voices without a reload.
      await page.getByTestId('cluster').filter({ hasText: 'visit' }).first().waitFor();
      assert.deepEqual(await suggestedIn(client, third), ['SPEAKER_01 Ben', 'SPEAKER_02 Anna']);
      assert.deepEqual(await suggestedIn(client, second), []);
      await page.goto(`/files/${third}`);
      await page.getByRole('button', { name: 'Accept: Speaker 2 is Anna' }).click();
      await page.locator('[data-testid="speaker"][data-name="Anna"]').waitFor();
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels', async () => {
      const views = [
        ['speakers-suggestions', page, () => openSpeakersTab(page, /^Suggestions/), 'suggested-voice'],
        ['speakers-unnamed', page, () => openSpeakersTab(page, /^Unnamed/), 'cluster'],
        ['admin-voices', boss.page, async () => void (await boss.page.goto('/admin/voices')), 'stored-voices'],
      ] as const;
      for (const [name, shown, go, id] of views) {
        const open = async (): Promise<void> => {
          await go();
          await shown.getByTestId(id).first().waitFor();
        };
        await checkWidths(shown, { name, screenshots, open });
      }
    }),
    step('switching it off asks first, and deletes all profiles and stored voices', async () => {
      await boss.page.goto('/admin/voices');
      await boss.page.getByRole('switch', { name: 'Store voices and recognise them again' }).click();
      await boss.page.getByRole('button', { name: 'Save', exact: true }).click();
      await boss.page.getByRole('button', { name: 'Switch off and delete' }).click();
      await boss.page.getByTestId('stored-voices').waitFor({ state: 'detached' });
      assert.deepEqual(await client.ok('GET', '/api/speaker-profiles'), {
        enabled: false,
        profiles: [],
        without_members: [],
      });
      await page.goto('/speakers');
      await page.getByText(/Recognising voices across recordings is switched off\./).waitFor();
    }),
  ];

  return { name: 'Speaker decisions in Chromium', checks, close: async () => started?.browser.close() };
}
