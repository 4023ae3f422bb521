import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry, waitUntilReady } from './scripted.ts';
import type { Check, Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { freeze } from './victims.ts';

/** From the click until the page shows its content or what does not respond. */
const limitMs = 5_000;
/** The page itself is loaded again for each address. */
const loadMs = 3_000;
const expected = /\b503\b|WebSocket|404.*directory-sync.passes/;
const router = new URL('../../web-ui/src/app/router.tsx', import.meta.url);
const withoutSession = new Set(['/sign-in', '/login', '/register', '/account-state', '/change-password']);

/** Every page of the router while the message broker accepts connections and does not respond. */
export function brokerInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let person: Hands;
  let page: Page;
  let api: Client;
  let thaw = (): void => {};
  const parameters: Record<string, string> = {};
  const step = watchedStep(() => [person]);

  const start: Check = {
    rule: 'a transcript, a collection and a group exist, voices are allowed, and an administrator signs in',
    limitMs: 300_000,
    run: async () => {
      const { instance } = await scripted.get();
      api = await signIn(instance.baseUrl, admin.email, admin.password);
      await api.send('PUT', '/api/admin/voice-profiles', { profiles_enabled: true });
      const file = await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, 12_345));
      await until('it is transcribed', async () => (await api.file(file)).status === 'completed', jobLimitMs);
      const created = async (path: string, body: object) => (await api.send<{ uuid: string }>('POST', path, body)).uuid;
      parameters['/files/$uuid'] = file;
      parameters['/collections/$uuid'] = await created('/api/collections', { name: 'Broker' });
      parameters['/groups/$uuid'] = await created('/api/groups', { name: 'Broker' });
      parameters['/admin/users/$uuid'] = (await api.ok<{ uuid: string }>('GET', '/api/users/me')).uuid;
      parameters['/admin/authentication/$category'] = 'ldap';
      // There is no such run: the page says so.
      parameters['/admin/directory-sync/passes/$uuid'] = file;
      browser = await launchBrowser();
      person = await openHands(browser, instance.baseUrl, screenshots);
      page = person.page;
      await person.signIn(admin.email, admin.password, 'Library');
      thaw = freeze(instance, 'nats');
    },
  };

  const addresses = async (): Promise<string[]> =>
    [...(await readFile(router, 'utf8')).matchAll(/path: '([^']+)'/g)]
      .map(([, path = '']) => path)
      .filter((path) => !withoutSession.has(path))
      .map((path) => path.replace(/\$\w+/, () => parameters[path] ?? assert.fail(`no parameter for ${path}`)));
  const untilShown = async (withinMs: number): Promise<number> => {
    const startedAt = Date.now();
    await page.locator('#main').waitFor({ timeout: withinMs });
    await page.waitForFunction(
      () => document.querySelector('.mantine-Skeleton-root, [role="status"][aria-label="Loading"]') === null,
      undefined,
      { timeout: withinMs, polling: 50 },
    );
    return Date.now() - startedAt;
  };

  return {
    name: 'Pages while the message broker is unresponsive',
    checks: [
      start,
      step(
        'the voices without a name are reported as unavailable, with a code',
        async (log) => {
          await page.goto('/speakers');
          await page.getByRole('tab', { name: 'Unnamed' }).click();
          log(`${await untilShown(limitMs)} ms`);
          const alert = page.getByRole('alert').filter({ hasText: 'The voices couldn’t be loaded' });
          await alert.getByText('The message broker does not respond.').waitFor();
          await alert.getByText('broker_unavailable').waitFor({ state: 'attached' });
        },
        expected,
      ),
      step(
        'every page shows its content or an error in time',
        async (log) => {
          const late: string[] = [];
          let slowest = { address: '', ms: 0 };
          for (const address of await addresses()) {
            await page.goto(address, { waitUntil: 'commit' });
            const ms = await untilShown(limitMs + loadMs).catch(() => undefined);
            if (ms === undefined) late.push(address);
            else if (ms > slowest.ms) slowest = { address, ms };
          }
          log(`slowest: ${slowest.address} ${slowest.ms} ms`);
          assert.deepEqual(late, []);
        },
        expected,
      ),
      step(
        'Try again shows the voices after the broker continues',
        async () => {
          await page.goto('/speakers');
          await page.getByRole('tab', { name: 'Unnamed' }).click();
          await page.getByText('broker_unavailable').waitFor({ state: 'attached' });
          thaw();
          await until(
            'the voices are shown',
            async () => {
              const retry = page.getByRole('button', { name: 'Try again' });
              if (await retry.isVisible()) await retry.click();
              return await page
                .getByTestId('clusters')
                .waitFor({ state: 'attached', timeout: 2_000 })
                .then(() => true);
            },
            jobLimitMs,
          );
          await waitUntilReady((await scripted.get()).instance);
        },
        expected,
      ),
    ],
    close: async () => {
      thaw();
      await api.send('PUT', '/api/admin/voice-profiles', { profiles_enabled: false });
      await browser.close();
    },
  };
}
