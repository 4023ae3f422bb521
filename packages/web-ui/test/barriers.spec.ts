import type { CommentThread } from '@overtone/contracts';
import type { Page } from '@playwright/test';
import { barriers } from './ring/barriers.ts';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const widths = [1280, 360] as const;

for (const width of widths)
  test.describe(`no accessibility violations at ${width} px`, () => {
    test.beforeEach(async ({ page, api }) => {
      await page.setViewportSize({ width, height: 800 });
      await startSession(page, api);
    });

    test('has the administration of public links', async ({ page, api }) => {
      const settings = [
        exampleItem('GET /api/admin/public-links', 'settings', { key: 'enabled', type: 'boolean', value: true }),
        exampleItem('GET /api/admin/public-links', 'settings', { key: 'max_days', type: 'integer', value: 90 }),
      ];
      api.respond('GET /api/admin/public-links', { settings, active_links: 2 });
      await page.goto('/admin/public-links');
      await expect(page.getByText('2 active links')).toBeVisible();
      await expectNoBarriers(page);
    });

    test('have public links in the share dialog', async ({ page, api }) => {
      const file = exampleItem('GET /api/files', 'items', { uuid: uuid(4), title: 'Minutes', status: 'completed' });
      const link = exampleItem('GET /api/files/{uuid}/public-links', 'links', { parts: ['text'], state: 'active' });
      const create = 'POST /api/files/{uuid}/public-links';
      api.respond('GET /api/files', listOf([file]));
      api.respond('GET /api/files/{uuid}/public-links', {
        enabled: true,
        max_days: 90,
        password_required: false,
        links: [link],
      });
      api.respond(create, example(create, { ...link, token: 'the-token' }));
      await page.goto('/');
      await button(page, 'Actions for Minutes').click();
      await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
      await button(page, 'Create public link').click();
      await expect(page.getByLabel('New public link')).toBeVisible();
      await expectNoBarriers(page);
    });

    test('has the page of a public link, with a password and after its end', async ({ page, api }) => {
      await page.context().clearCookies();
      const open = 'POST /api/public/links/open';
      const view = example('GET /api/public/links/{uuid}', {
        title: 'Minutes of the board',
        duration: 61,
        parts: ['text', 'summary'],
        recording: null,
      });
      api.respond(open, { uuid: view.uuid, password_required: true, view: null });
      api.refuse('GET /api/public/links/{uuid}', { code: 'not_found' });
      await page.goto('/public#locked');
      await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
      await expectNoBarriers(page);
      api.refuse(open, { code: 'not_found' });
      await page.goto('/public#ended');
      await expect(page.getByRole('alert')).toContainText('has ended');
      await expectNoBarriers(page);
      api.respond(open, { uuid: view.uuid, password_required: false, view });
      api.respond('GET /api/public/links/{uuid}', view);
      api.respond('GET /api/public/links/{uuid}/segments', {
        segments: [
          {
            start_time: 0,
            end_time: 2,
            text: 'Write to [email]',
            withheld: false,
            speaker: null,
            words: [],
            redactions: [{ kind: 'email', start: 9, end: 16 }],
          },
        ],
        total_segments: 1,
      });
      await page.goto('/public#open');
      await expect(page.getByText('[email]')).toBeVisible();
      await expectNoBarriers(page);
    });

    test('have comments: the panel, the one at its words, a new one and people to mention', async ({ page, api }) => {
      const thread = exampleItem('GET /api/files/{uuid}/comments', 'threads', {
        uuid: uuid(40),
        text: 'Why?',
        quote: 'Good morning',
        color: 'green',
        start_time: 0,
        end_time: 4,
        can_edit: true,
        can_delete: true,
      } satisfies Partial<CommentThread>);
      storeTranscript(['Good morning everybody', 'Let us begin with the budget']).serve(api);
      const replies = [{ ...thread, uuid: uuid(41), text: 'Because.' }];
      api.respond('GET /api/files/{uuid}/comments', { threads: [{ ...thread, replies }] });
      api.respond('GET /api/files/{uuid}/comments/people', [{ uuid: uuid(31), name: 'Grace Hopper' }]);
      await page.goto(transcriptPath);
      await page.locator('summary', { hasText: '1 comment' }).click();
      await expect(page.getByTestId('comments')).toContainText('Because.');
      await expectNoBarriers(page);
      await page.locator('[data-note="green"]').first().click();
      await expect(page.getByRole('region', { name: 'Comment' })).toBeVisible();
      await expectNoBarriers(page);
      await button(page, 'Close the comment').click();
      await button(page, 'Comment').click();
      await page.getByRole('dialog').getByLabel('Comment', { exact: true }).pressSequentially('@G');
      await expect(page.getByRole('dialog').getByRole('option')).toHaveText(['Grace Hopper']);
      await expectNoBarriers(page);
    });
  });

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

/** Repeated, because what is still loading or fading in has temporary violations. */
async function expectNoBarriers(page: Page): Promise<void> {
  await expect.poll(() => barriers(page)).toEqual([]);
}
