import assert from 'node:assert/strict';
import { queuesWithJobs } from '@overtone/contracts';
import type { Browser, Locator, Page } from 'playwright-core';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, type Instance } from './instance.ts';
import { allReady, copyOf, insist } from './scripted.ts';
import { until, type Check, type Suite } from './runner.ts';
import { freeze } from './victims.ts';

const reason = 'The driver is being exchanged';
const failure = 'The job failed unexpectedly';
const patience = { timeout: 60_000 };
const somebody = { email: 'olga.renn@example.org', name: 'Olga Renn', password: 'Silver-Lantern-73' };

/** Queues, workers, dead jobs and a run's timeline as an administrator sees them. */
export const queuesInTheBrowser = ({ scripted, recordings, screenshots }: ScriptedContext): Suite => {
  let browser: Browser;
  let boss: Hands;
  let other: Hands;
  let page: Page;
  let api: Client;
  let instance: Instance;
  let pretend: (secondsPerHour: number, refusal?: string) => Promise<void>;
  let held = '';
  let broken = '';
  const step = watchedStep(() => [boss, other]);
  const row = (queue: string): Locator => page.locator(`[data-queue="${queue}"]`);
  const send = async (number: number): Promise<string> =>
    insist(api, await copyOf(recordings.brief.path, recordings.folder, number));
  const openPanel = async (uuid: string): Promise<void> => {
    await page.goto(`/files/${uuid}`);
    const panel = page.locator('details', { hasText: 'Processing' });
    await panel.locator('summary').waitFor();
    // It is open already where something failed.
    await until('the timeline is open', async () => {
      if (await page.getByTestId('timeline').isVisible()) return true;
      if ((await panel.getAttribute('open')) === null) await panel.locator('summary').click();
      return false;
    });
  };

  const pausing: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      vital: true,
      limitMs: 300_000,
      run: async () => {
        ({ instance, pretend } = await scripted.get());
        api = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        other = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('every queue that has a job kind and the workers are shown', async () => {
      await page.goto('/admin/queues');
      await row('gpu').waitFor();
      assert.equal(await page.locator('[data-queue]').count(), queuesWithJobs.length);
      await page.getByTestId('workers').getByText('transcription-worker').first().waitFor();
      await page.getByTestId('empty').getByText('Nothing has failed for good.').waitFor();
    }),
    step('a queue is not paused without a reason, and shows the one it was given', async () => {
      await row('gpu').getByRole('button', { name: 'Pause gpu' }).click();
      const dialog = page.getByRole('dialog');
      const pause = dialog.getByRole('button', { name: 'Pause' });
      await dialog.getByLabel('Reason').fill('   ');
      assert.ok(await pause.isDisabled());
      await dialog.getByLabel('Reason').fill(reason);
      await pause.click();
      await row('gpu').getByText(reason).waitFor();
      await row('gpu').getByRole('button', { name: 'Resume gpu' }).waitFor();
    }),
    step('a recording waits for the paused queue, is counted there, and says why it waits', async () => {
      held = await send(9_001);
      await page.goto(`/files/${held}`);
      await page.getByTestId('processing').getByText('Paused by an administrator').waitFor(patience);
      await page.getByTestId('processing').getByText(reason).waitFor(patience);
      await boss.snap('file-paused');
      await page.goto('/admin/queues');
      await row('gpu')
        .getByRole('img', { name: /^1 waiting, 0 running/ })
        .waitFor(patience);
      await boss.snap('queues-paused');
    }),
    step('resumed, it goes on to its end by itself', async () => {
      await row('gpu').getByRole('button', { name: 'Resume gpu' }).click();
      await row('gpu').getByRole('button', { name: 'Pause gpu' }).waitFor();
      await api.completed(held);
      const records = await until('both are in the audit log', async () => {
        const query = '/api/admin/audit-logs?event_type=admin.queue';
        const { items } = await api.ok<{ items: { event_type: string; details: object }[] }>('GET', query);
        return items.length >= 2 && items;
      });
      assert.deepEqual(
        records.map((r) => r.event_type),
        ['admin.queue.resume', 'admin.queue.pause'],
      );
      assert.deepEqual(records[1]?.details, { queue: 'gpu', reason });
    }),
  ];

  const dying: Check[] = [
    step('a job that fails for good is among the dead with its reason', async () => {
      await pretend(0, 'The engine lost its voice');
      broken = await send(9_002);
      await until('it failed', async () => (await api.file(broken)).status === 'error', 120_000);
      await page.goto('/admin/queues');
      const kinds = page.getByTestId('dead-kinds');
      await kinds.getByText('Transcribing').waitFor(patience);
      await kinds.getByRole('button', { name: /^Jobs of Transcribing/ }).click();
      await kinds.getByText(failure).waitFor();
      const dead = row('gpu').locator('dl > div', { hasText: 'Dead' }).locator('dd');
      await until('the queue counts it', async () => (await dead.innerText()) === '1');
      await boss.snap('queues-dead');
    }),
    step('its tries are told on the page of its file', async () => {
      await openPanel(broken);
      const tries = page.getByRole('list', { name: 'Attempts of Transcribing' });
      await tries.getByText(new RegExp(`Attempt 1.*failed.*${failure}`)).waitFor();
      await boss.snap('timeline-failed');
    }),
    step('retried, it completes, and its earlier tries are still told', async () => {
      await pretend(0);
      await page.goto('/admin/queues');
      const kinds = page.getByTestId('dead-kinds');
      await kinds.getByRole('button', { name: /^Jobs of Transcribing/ }).click();
      await kinds.getByRole('button', { name: /^Retry copy-9002/ }).click();
      await page.getByText('The job is tried again.').waitFor();
      await page.getByText('Nothing has failed for good.').waitFor();
      await api.completed(broken);
      await openPanel(broken);
      const tries = page.getByRole('list', { name: 'Attempts of Transcribing' });
      await tries.getByText(/Attempt \d+.*done/).waitFor();
      await tries.getByText(/Attempt 1.*failed/).waitFor();
      await boss.snap('timeline-retried');
    }),
    step('discarded, dead jobs are gone from the list, and their recording stays', async () => {
      await pretend(0, 'The engine lost its voice');
      const lost = await send(9_003);
      await until('it failed', async () => (await api.file(lost)).status === 'error', 120_000);
      await pretend(0);
      await page.goto('/admin/queues');
      await page
        .getByTestId('dead-kinds')
        .getByRole('button', { name: /^Discard all: Transcribing/ })
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Discard 1 job?').waitFor();
      await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
      await page.getByText('Nothing has failed for good.').waitFor(patience);
      assert.equal((await api.file(lost)).status, 'error');
    }),
    step('tasks are found by queue and state, and show their tries', async () => {
      await page.goto('/admin/queues');
      await page.getByLabel('Queue of tasks').selectOption('gpu');
      await page.getByLabel('State of tasks').selectOption('completed');
      const tasks = page.getByTestId('tasks');
      await until('only those of the queue are shown', async () => {
        const names = await tasks.getByRole('button').allInnerTexts();
        return names.length > 0 && names.every((n) => /Transcribing|Identifying speakers/.test(n));
      });
      await tasks.getByRole('button', { name: /^Tries of Transcribing, copy-9002/ }).click();
      await tasks.getByText(/Try 1.*failed/).waitFor();
    }),
  ];

  const seeing: Check[] = [
    step('nothing keeps anybody out, in light and dark, and nothing sticks out on a small screen', async () => {
      for (const [path, name] of [
        ['/admin/queues', 'queues'],
        [`/files/${broken}`, 'timeline'],
      ] as const) {
        await page.setViewportSize({ width: 1280, height: 1400 });
        if (name === 'timeline') await openPanel(broken);
        else await page.goto(path);
        await page.locator(name === 'timeline' ? '[data-testid="timeline"]' : '[data-queue="embedding"]').waitFor();
        assert.deepEqual(await barriers(page), []);
        await boss.snap(`${name}-1280`);
        await page.setViewportSize({ width: 360, height: 1400 });
        await until(`${path} fits`, () => fitsWidth(page));
        await boss.snap(`${name}-360`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    step(
      'while the broker is away the page says so, and since when its figures stand',
      async () => {
        await page.goto('/admin/queues');
        await row('gpu').waitFor();
        const thaw = freeze(instance, 'nats');
        try {
          await page.getByText('The queues cannot be read just now').waitFor(patience);
          await page
            .getByText(/What is shown here stands since \d/)
            .first()
            .waitFor();
          assert.equal(await row('gpu').count(), 1);
          await boss.snap('queues-broker-away');
        } finally {
          thaw();
        }
        await page.getByText('The queues cannot be read just now').waitFor({ ...patience, state: 'detached' });
        await allReady(instance);
        // A page that has met nothing of it: the old one may still be trying to come back.
        await page.reload();
        await row('gpu').waitFor();
      },
      /\b50[34]\b|WebSocket/,
    ),
    step(
      'somebody who is no administrator finds no such page',
      async () => {
        await api.send('POST', '/api/admin/users', {
          email: somebody.email,
          full_name: somebody.name,
          password: somebody.password,
          must_change_password: false,
        });
        await other.signIn(somebody.email, somebody.password, 'Library');
        await other.page.goto('/admin/queues');
        await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
        assert.equal(await other.page.locator('[data-queue]').count(), 0);
      },
      /\b40[34]\b/,
    ),
  ];

  return {
    name: 'Queues, workers and dead jobs, by hand in Chromium',
    checks: [...pausing, ...dying, ...seeing],
    close: async () => {
      await pretend?.(0);
      await api?.call('POST', '/api/admin/queues/gpu/resume');
      await browser?.close();
    },
  };
};
