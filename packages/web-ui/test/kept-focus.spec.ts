import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

type Removal = {
  readonly name: string;
  readonly script: (api: ScriptedApi) => void;
  readonly path: string;
  /** The control that is removed by its effect. */
  readonly control: string | RegExp;
  /** The button of the question that it asks. */
  readonly confirm?: string;
  /** A part of what has the focus then; null: the whole page, because the list is empty. */
  readonly next: string | null;
};

const [firstSession, secondSession] = ['Firefox/140.0', 'Chrome/140.0'].map((agent, index) =>
  exampleItem('GET /api/auth/sessions', 'sessions', {
    uuid: uuid(10 + index),
    current: false,
    user_agent: `Mozilla/5.0 (X11; Linux x86_64) ${agent}`,
  }),
);
const codes = ['Money', 'Savings'].map((name, index) =>
  exampleItem('GET /api/code-lists/{uuid}', 'codes', { uuid: uuid(20 + index), name, passages: 0 }),
);
const list = example('GET /api/code-lists/{uuid}', {
  uuid: uuid(50),
  name: 'Budget study',
  my_permission: 'owner',
  owner_name: null,
});
const template = exampleItem('GET /api/export-templates', 'items', {
  uuid: uuid(30),
  name: 'Court',
  options: defaultExportOptions,
  my_permission: 'owner',
  owner_name: null,
});
const note = exampleItem('GET /api/notifications', 'items', {
  kind: 'transcription_completed',
  subject_name: 'Minutes',
});

const removals: readonly Removal[] = [
  {
    name: 'the entry of a notification that is marked as read',
    script: (api) => {
      let read = false;
      api.respond('GET /api/notifications', () => listOf([{ ...note, read }]));
      api.respond('POST /api/notifications/read', () => {
        read = true;
        return { unread: 0 };
      });
    },
    path: '/notifications',
    control: /^Mark as read: /,
    next: 'Minutes',
  },
  {
    name: 'the next session when one is ended',
    script: (api) => {
      let sessions = [firstSession, secondSession].filter((session) => session !== undefined);
      api.respond('GET /api/auth/sessions', () => example('GET /api/auth/sessions', { sessions }));
      api.respond('DELETE /api/auth/sessions/{uuid}', () => {
        sessions = sessions.slice(1);
        return undefined;
      });
    },
    path: '/account',
    control: 'End session on Firefox on Linux',
    next: 'Chrome on Linux',
  },
  {
    name: 'the next code when one is deleted',
    script: (api) => {
      let left = codes;
      api.respond('GET /api/code-lists/{uuid}', () => ({ ...list, codes: left }));
      api.respond('DELETE /api/code-lists/{uuid}/codes/{code_uuid}', () => {
        left = codes.slice(1);
        return undefined;
      });
    },
    path: `/codes/${list.uuid}`,
    control: 'Delete Money',
    confirm: 'Delete',
    next: 'Savings',
  },
  {
    name: 'the page when the last export template is deleted',
    script: (api) => {
      let items = [template];
      api.respond('GET /api/export-templates', () => listOf(items));
      api.respond('DELETE /api/export-templates/{uuid}', () => {
        items = [];
        return undefined;
      });
    },
    path: '/export-templates',
    control: 'Actions for Court',
    confirm: 'Delete',
    next: null,
  },
];

for (const { name, script, path, control, confirm, next } of removals)
  test(`a control that its own effect removes leaves the focus to ${name}`, async ({ page, api }) => {
    script(api);
    await startSession(page, api);
    await page.goto(path);
    const pressed = page.getByRole('button', { name: control });
    await pressed.focus();
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: 'Delete' });
    if (next === null) await item.press('Enter');
    if (confirm) await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).press('Enter');
    await expect(pressed).toHaveCount(0);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const focused = page.locator(':focus');
    if (next === null) await expect(focused).toHaveRole('main');
    else await expect(focused).toHaveText(new RegExp(`^.*${next}`));
    // It is no control: a second press does nothing.
    await expect(focused).toHaveAttribute('tabindex', '-1');
    await page.keyboard.press('Tab');
    await expect(focused).not.toHaveAttribute('tabindex', '-1');
  });
