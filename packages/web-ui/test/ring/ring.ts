import {
  expect,
  test as base,
  type BrowserContext,
  type ConsoleMessage,
  type Page,
  type WebSocketRoute,
} from '@playwright/test';
import { pushMessage, type PushMessage } from '@overtone/contracts';
import { example, uuid } from './example.ts';
import { startScriptedApi, type ScriptedApi } from './scripted-api.ts';

type Fixtures = { readonly api: ScriptedApi };
type WorkerFixtures = { readonly scripted: ScriptedApi; readonly browserContext: BrowserContext; readonly tab: Page };

/** The push channel of the page. */
let channel: WebSocketRoute | undefined;

/** Sends a message of the push channel to the page. */
export function push(message: PushMessage): void {
  channel?.send(JSON.stringify(pushMessage.parse(message)));
}

const desktop = { width: 1280, height: 800 };

/** The errors of the page in the current test. */
let errors: string[] = [];

export const me = example('GET /api/users/me', {
  uuid: uuid(1),
  email: 'ada@example.org',
  full_name: 'Ada Lovelace',
  role: 'super_admin',
  is_active: true,
  approval_status: 'approved',
});

/**
 * A test of the built pages against scripted responses. All tests of a worker share one tab: most of the cost of a test
 * is to load the page, so that a test which finds its page open does not load it again.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  scripted: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
    async ({}, use) => {
      const api = await startScriptedApi();
      await use(api);
      await api.close();
    },
    { scope: 'worker' },
  ],
  browserContext: [
    async ({ browser, scripted }, use) => {
      const context = await browser.newContext({
        baseURL: scripted.baseUrl,
        viewport: desktop,
        locale: 'en-GB',
        reducedMotion: 'reduce',
      });
      await context.routeWebSocket(/\/api\/ws/, (socket) => {
        const greeting = { type: 'connection_established', data: { user_id: me.uuid, seq: 1, resumed: false } };
        channel = socket;
        socket.send(JSON.stringify(pushMessage.parse(greeting)));
        // A page gives up a connection whose pings have no answer; it sends nothing else.
        socket.onMessage(() => socket.send(JSON.stringify(pushMessage.parse({ type: 'pong', data: {} }))));
      });
      await use(context);
      await context.close();
    },
    { scope: 'worker' },
  ],
  tab: [async ({ browserContext }, use) => use(await browserContext.newPage()), { scope: 'worker' }],
  page: async ({ tab, api }, use) => {
    // An earlier test may have ended in another size.
    if (tab.viewportSize()?.width !== desktop.width) await tab.setViewportSize(desktop);
    errors = [];
    const onError = ({ name, message, stack }: Error): unknown => errors.push(`${name}: ${message}\n${stack ?? ''}`);
    // One that React catches shows another page in place of the one that threw it, and is only logged.
    const onLog = (message: ConsoleMessage): unknown =>
      message.type() === 'error' && /^\w*Error: /.test(message.text()) && errors.push(message.text());
    tab.on('pageerror', onError);
    tab.on('console', onLog);
    await use(tab);
    tab.off('pageerror', onError);
    tab.off('console', onLog);
    expect([...errors, ...api.faults()], 'errors of the page, and messages that their contract refuses').toEqual([]);
  },
  api: async ({ scripted }, use) => {
    scripted.reset();
    scripted.respond('GET /api/users/me', me);
    await use(scripted);
  },
});

/** Signs in and removes what an earlier test left in the browser. */
export async function startSession(page: Page, { baseUrl }: ScriptedApi): Promise<void> {
  // The page of the earlier test could store more, and fail when it is left.
  await page.goto('about:blank');
  errors = [];
  const browser = await page.context().newCDPSession(page);
  await browser.send('Storage.clearDataForOrigin', { origin: baseUrl, storageTypes: 'all' });
  await browser.detach();
  await page.context().addCookies([{ name: 'csrf_token', value: 'scripted', url: baseUrl }]);
}

export { expect };
