import type { Page } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

const file = exampleItem('GET /api/files', 'items', {
  uuid: uuid(4),
  title: 'Minutes',
  status: 'completed',
  has_media: true,
  recording_removed_at: null,
});
const link = exampleItem('GET /api/files/{uuid}/public-links', 'links', {
  uuid: uuid(5),
  parts: ['recording', 'text'],
  has_password: true,
  state: 'active',
  views: 3,
  last_viewed_at: '2026-01-02T03:04:05.000Z',
  expires_at: '2027-01-02T03:04:05.000Z',
});
const allowed = { enabled: true, max_days: 90, password_required: false, links: [link] };
const view = example('GET /api/public/links/{uuid}', {
  uuid: link.uuid,
  title: 'Minutes of the board',
  duration: 61,
  language: 'en',
  recorded_date: null,
  parts: ['recording', 'text', 'summary'],
  has_video: false,
  recording: 'ready',
  speakers: [
    { name: 'SPEAKER_01', display_name: 'Grace', talk_time: 1 },
    { name: 'SPEAKER_02', display_name: null, talk_time: 1 },
  ],
});
const passages = [
  {
    start_time: 0,
    end_time: 2,
    text: 'Good morning',
    withheld: false,
    speaker: 'SPEAKER_01',
    words: [
      { word: 'Good', start: 0.5, end: 1 },
      { word: 'morning', start: 1, end: 2 },
    ],
    redactions: [],
  },
  {
    start_time: 2,
    end_time: 4,
    text: 'Write to [email] please',
    withheld: false,
    speaker: 'SPEAKER_02',
    words: [],
    redactions: [{ kind: 'email' as const, start: 9, end: 16 }],
  },
];

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

test.describe('the share dialog', () => {
  test.beforeEach(async ({ page, api }) => {
    api.respond('GET /api/files', listOf([file]));
    await startSession(page, api);
  });

  async function openDialog(page: Page) {
    await page.goto('/');
    await button(page, 'Actions for Minutes').click();
    await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
    return page.getByRole('dialog').getByTestId('public-links');
  }

  test('creates a public link, shows its address once, and revokes one after a question', async ({ page, api }) => {
    const create = 'POST /api/files/{uuid}/public-links';
    const revoke = 'DELETE /api/files/{uuid}/public-links/{link_uuid}';
    api.respond('GET /api/files/{uuid}/public-links', allowed);
    api.respond(create, example(create, { ...link, uuid: uuid(6), token: 'the-token' }));
    const section = await openDialog(page);
    await section.getByLabel('Summary').check();
    await section.getByLabel('Recording').uncheck();
    await section.getByLabel('Valid for').selectOption('30 days');
    await section.getByLabel('Password (optional)').fill('porcupine umbrella');
    const before = Date.now();
    await button(page, 'Create public link').click();
    await expect(section.getByLabel('New public link')).toHaveValue(`${api.baseUrl}/public#the-token`);
    const [sent] = api.sent(create) as { expires_at: string }[];
    expect(sent).toMatchObject({ parts: ['text', 'summary'], password: 'porcupine umbrella' });
    expect(Math.round((Date.parse(sent?.expires_at ?? '') - before) / 86_400_000)).toBe(30);
    await expect(section.getByLabel('Password (optional)')).toHaveValue('');

    const entry = section.getByTestId('public-link-list').getByRole('listitem');
    await expect(entry).toContainText('Recording, Transcript');
    await expect(entry).toContainText('opened 3 times');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Everyone who has a public link can see this.');
    await expect(dialog).not.toContainText('Only you and administrators can see this.');
    api.respond(revoke, { ...link, state: 'revoked' });
    await entry.getByRole('button', { name: /^Revoke the link/ }).click();
    expect(api.sent(revoke)).toEqual([]);
    api.respond('GET /api/files/{uuid}/public-links', {
      ...allowed,
      links: [
        { ...link, uuid: uuid(6), state: 'revoked', revoked_at: '2026-01-02T03:04:05.000Z' },
        { ...link, state: 'revoked', revoked_at: '2026-01-02T03:04:05.000Z' },
      ],
    });
    await button(page, 'Revoke permanently').click();
    await expect(entry).toContainText(['Revoked', 'Revoked']);
    await expect(entry.getByRole('button')).toHaveCount(0);
    await expect(dialog).toContainText('Only you and administrators can see this.');
    // The address of a revoked link opens nothing any more.
    await expect(section.getByLabel('New public link')).toHaveCount(0);
  });

  test('says who can allow links, and why one was refused', async ({ page, api }) => {
    api.respond('GET /api/files/{uuid}/public-links', { ...allowed, enabled: false, links: [] });
    await expect(await openDialog(page)).toContainText('An administrator can allow them.');
    await expect(button(page, 'Create public link')).toHaveCount(0);
    api.respond('GET /api/files/{uuid}/public-links', { ...allowed, password_required: true });
    const section = await openDialog(page);
    await expect(button(page, 'Create public link')).toBeDisabled();
    await section.getByLabel('Password', { exact: true }).fill('porcupine umbrella');
    api.refuse('POST /api/files/{uuid}/public-links', {
      code: 'invalid_body',
      errors: [{ path: 'password', message: 'is too simple' }],
    });
    await button(page, 'Create public link').click();
    await expect(section.getByText('is too simple')).toBeVisible();
    await expect(section.getByLabel('Password', { exact: true })).toHaveValue('porcupine umbrella');
  });
});

test.describe('a person without an account', () => {
  test.beforeEach(async ({ page, api }) => {
    await startSession(page, api);
    await page.context().clearCookies();
    api.respond('GET /api/public/links/{uuid}', view);
    api.respond('GET /api/public/links/{uuid}/segments', { segments: passages, total_segments: 2 });
    api.respond('GET /api/public/links/{uuid}/summary', {
      summary: {
        ...(example('GET /api/public/links/{uuid}/summary').summary ?? emptySummary),
        brief: [{ text: 'A greeting.', starts: [1] }],
        action_items: [{ text: 'Write.', owner: 'Grace', due_date: null, starts: [2] }],
      },
    });
  });

  for (const width of [360, 1280])
    test(`reads transcript and summary and plays from a word at ${width} px`, async ({ page, api }) => {
      await page.setViewportSize({ width, height: 800 });
      api.respond('POST /api/public/links/open', { uuid: link.uuid, password_required: false, view });
      await page.goto('/public#the-token');
      await expect(page.getByRole('heading', { name: 'Minutes of the board', level: 1 })).toBeVisible();
      await expect(page).toHaveTitle('Minutes of the board · Overtone');
      const transcript = page.getByRole('region', { name: 'Transcript' });
      await expect(transcript).toContainText('Grace');
      await expect(transcript).toContainText('Speaker 2');
      await expect(transcript.getByText('[email]')).toBeVisible();
      await expect(page.getByRole('region', { name: 'Summary' })).toContainText('Owner: Grace');
      const player = page.getByLabel('Player');
      await expect(player).toHaveAttribute('src', `/api/public/links/${link.uuid}/recording`);
      await player.evaluate((media: HTMLMediaElement) => {
        Object.assign(window, { soughtTo: [] as number[] });
        Object.defineProperty(media, 'currentTime', {
          set: (seconds: number) => {
            (window as unknown as { soughtTo: number[] }).soughtTo.push(seconds);
          },
          get: () => 0,
        });
      });
      await transcript.getByText('morning').click();
      await transcript.getByRole('button', { name: 'Play from 0:02' }).press('Enter');
      expect(await page.evaluate(() => (window as unknown as { soughtTo: number[] }).soughtTo)).toEqual([1, 2]);
      await expect(page.locator('audio')).toHaveCount(1);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(api.sent('POST /api/public/links/open')).toEqual([{ token: 'the-token' }]);
    });

  test('enters the password, and sees that one is wrong', async ({ page, api }) => {
    const unlock = 'POST /api/public/links/unlock';
    api.respond('POST /api/public/links/open', { uuid: link.uuid, password_required: true, view: null });
    api.refuse(unlock, { code: 'public_link_password_wrong' });
    await page.goto('/public#another-token');
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await button(page, 'Open').click();
    await expect(page.getByText('The password is not correct.')).toBeVisible();
    api.respond(unlock, view);
    // Without a password that was entered here, the server is not asked for what it would refuse.
    expect(api.sent('GET /api/public/links/{uuid}')).toEqual([]);
    api.respond('GET /api/public/links/{uuid}', view);
    await page.getByLabel('Password', { exact: true }).fill('right');
    await button(page, 'Open').click();
    await expect(page.getByRole('heading', { name: 'Minutes of the board' })).toBeVisible();
    expect(api.sent(unlock)).toEqual([
      { token: 'another-token', password: 'wrong' },
      { token: 'another-token', password: 'right' },
    ]);

    // The cookie of the server gives access after a reload; the password is stored nowhere.
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Minutes of the board' })).toBeVisible();
    expect(api.sent(unlock)).toHaveLength(2);
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
    );
    expect(stored).not.toContain('right');
  });

  test('sees that a link has ended', async ({ page, api }) => {
    api.refuse('POST /api/public/links/open', { code: 'not_found' });
    await page.goto('/public#ended');
    await expect(page.getByRole('alert')).toContainText('has ended');
    await page.goto('about:blank');
    await page.goto('/public');
    await expect(page.getByRole('alert')).toContainText('has ended');
  });

  test('sees only what the link shows, and that the sound is not ready yet', async ({ page, api }) => {
    const pending = { ...view, parts: ['recording' as const], recording: 'pending' as const };
    api.respond('POST /api/public/links/open', { uuid: link.uuid, password_required: false, view: pending });
    api.respond('GET /api/public/links/{uuid}', pending);
    await page.goto('/public#pending');
    await expect(page.getByText('Masked parts are being removed')).toBeVisible();
    await expect(page.getByLabel('Player')).toHaveCount(0);
    await expect(page.getByRole('region')).toHaveCount(0);
    api.respond('GET /api/public/links/{uuid}', { ...pending, recording: 'ready' });
    await expect(page.getByLabel('Player')).toBeVisible({ timeout: 10_000 });
  });
});

const emptySummary = {
  language: null,
  made_without_model: false,
  out_of_date: false,
  brief: [],
  key_decisions: [],
  action_items: [],
  topics: [],
  follow_ups: [],
};
