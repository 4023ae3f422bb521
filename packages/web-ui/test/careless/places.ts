import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { authSetting, example, exampleItem, listOf, uuid } from '../ring/example.ts';
import type { ScriptedApi } from '../ring/scripted-api.ts';

/** One place where text can be typed: every careless act is tried on each row. */
export type Place = {
  readonly name: string;
  readonly path: string;
  /** Shows the field, unless it is shown already. */
  readonly open: (page: Page) => Promise<void>;
  readonly field: (page: Page) => Locator;
  readonly text: string;
  /** Fills the field when its text is chosen from a list; without it the text is typed. */
  readonly choose?: (page: Page) => Promise<void>;
  /** Submits the text; in a place without it the text is submitted with other fields. */
  readonly save?: (page: Page) => Promise<void>;
  /** In front of the page: the page behind cannot be clicked. */
  readonly dialog?: boolean;
  /** A password: it must not be stored, so the page asks before it is lost. It does not survive the session. */
  readonly secret?: boolean;
  /** A page that needs no session and has no navigation. */
  readonly signedOut?: boolean;
};

const saveSettings = press('Save');
/** A file of the disk: a title belongs to its name, size and time. */
const recordingPath = join(import.meta.dirname, '../../../../services/transcription-worker/src/engines/sample.wav');

/** The records that the places belong to. */
const account = example('GET /api/users/{uuid}', {
  uuid: uuid(40),
  email: 'careless@example.org',
  full_name: 'Careless Person',
  is_active: true,
});
/** The account as a list of people shows it. */
const accountLabel = `${account.full_name} (${account.email})`;
const group = example('GET /api/groups/{uuid}', { uuid: uuid(41), name: 'Careless people', my_role: 'manager' });
const file = exampleItem('GET /api/files', 'items', {
  uuid: uuid(42),
  title: 'Minutes of a meeting',
  status: 'completed',
  has_media: true,
});
const speaker = exampleItem('GET /api/files/{uuid}', 'speakers', { uuid: uuid(43), name: 'SPEAKER_01' });
const filePath = `/files/${file.uuid}`;

/** The responses of a server on which all places have something to show. */
export function showWorld(api: ScriptedApi): void {
  api.respond('POST /api/auth/invitation', example('POST /api/auth/invitation', { email: account.email }));
  api.respond('GET /api/users/{uuid}', account);
  api.respond('GET /api/users/search', [account]);
  api.respond('GET /api/admin/users', listOf([account]));
  api.respond('GET /api/groups', [group]);
  api.respond('GET /api/groups/{uuid}', group);
  api.respond('GET /api/files', listOf([file]));
  api.respond('GET /api/files/{uuid}', example('GET /api/files/{uuid}', { ...file, speakers: [speaker] }));
  api.respond('GET /api/admin/queues', {
    ...example('GET /api/admin/queues'),
    queues: [exampleItem('GET /api/admin/queues', 'queues', { queue: 'gpu' })],
  });
  api.respond('GET /api/admin/backup/settings', {
    settings: [
      exampleItem('GET /api/admin/backup/settings', 'settings', { key: 'schedule', type: 'text', value: '0 3 * * *' }),
      exampleItem('GET /api/admin/backup/settings', 'settings', { key: 'encrypt', type: 'boolean', value: false }),
      exampleItem('GET /api/admin/backup/settings', 'settings', { key: 'passphrase', type: 'secret' }),
    ],
  });
  api.respond('GET /api/admin/media-mirror/settings', {
    settings: [
      exampleItem('GET /api/admin/media-mirror/settings', 'settings', { key: 'destination', type: 'text', value: '' }),
    ],
  });
  api.respond('GET /api/admin/auth-config', {
    ...example('GET /api/admin/auth-config'),
    ldap: [
      authSetting({ config_key: 'ldap_server' }),
      authSetting({ config_key: 'ldap_bind_password', is_sensitive: true }),
    ],
  });
  api.respond(
    'GET /api/auth/methods',
    example('GET /api/auth/methods', { local_enabled: true, allow_registration: true }),
  );
}

function fileMenu(item: string) {
  return async (page: Page): Promise<void> => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
}

function bulkAction(name: RegExp) {
  return async (page: Page): Promise<void> => {
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await press(name)(page);
  };
}

function choosePerson(field: (page: Page) => Locator) {
  return async (page: Page): Promise<void> => {
    await field(page).fill(accountLabel.slice(0, 8));
    await page.getByRole('option', { name: accountLabel }).click();
  };
}

function person(page: Page): Locator {
  return page.getByRole('dialog').getByRole('combobox', { name: 'Person' });
}

function newMember(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Add a person' });
}

/** Every place where text is typed to be saved. Search and filter fields are not among them: they change nothing. */
export const places: readonly Place[] = [
  {
    name: 'the name of a speaker',
    path: filePath,
    open: (page) =>
      page
        .getByTestId('speaker')
        .first()
        .getByRole('button', { name: /^Rename/ })
        .click(),
    field: (page) => page.getByRole('textbox', { name: /^Name of (?!the new)/ }),
    text: 'Grace Hopper',
    save: pressEnter,
  },
  {
    name: 'the name of a new speaker',
    path: filePath,
    open: press('Add a speaker'),
    field: (page) => page.getByRole('textbox', { name: 'Name of the new speaker' }),
    text: 'Ada Lovelace',
    save: pressEnter,
  },
  {
    name: 'a tag',
    path: filePath,
    open: press('Add tag'),
    field: (page) => page.getByRole('combobox', { name: 'New tag' }),
    text: 'quarterly',
    save: pressEnter,
  },
  {
    name: 'the title of a file',
    path: filePath,
    open: fileMenu('Rename'),
    field: fieldInDialog('Title'),
    text: 'A better title',
    save: inDialog('Save'),
    dialog: true,
  },
  {
    name: 'a group',
    path: '/groups',
    open: press('Add group'),
    field: fieldInDialog('Description'),
    text: 'People who read recordings',
    dialog: true,
  },
  {
    name: 'a new collection',
    path: '/collections',
    open: press('Create collection'),
    field: fieldInDialog('Description'),
    text: 'Recordings of the board',
    dialog: true,
  },
  {
    name: 'a new collection for a file',
    path: filePath,
    open: async (page) => {
      await press('Add to collection')(page);
      await page.getByRole('dialog').getByText('A new one', { exact: true }).click();
    },
    field: fieldInDialog('Name of the new collection'),
    text: 'Careless collection',
    dialog: true,
  },
  {
    name: 'a group that exists',
    path: `/groups/${group.uuid}`,
    open: press(/^(Change|Edit)/),
    field: fieldInDialog('Name'),
    text: 'Another name',
    save: inDialog('Save'),
    dialog: true,
  },
  {
    name: 'a new account',
    path: '/admin/users',
    open: press('Add user'),
    field: fieldInDialog('E-mail address'),
    text: 'new@example.org',
    dialog: true,
  },
  {
    name: 'an account',
    path: `/admin/users/${account.uuid}`,
    open: async () => undefined,
    field: (page) => page.getByLabel('Name', { exact: true }),
    text: 'A changed name',
    save: saveSettings,
  },
  {
    name: 'the own name',
    path: '/account',
    open: async () => undefined,
    field: (page) => page.getByLabel('Name', { exact: true }),
    text: 'My own name',
    save: saveSettings,
  },
  {
    name: 'a setting of sign-in',
    path: '/admin/authentication/ldap',
    open: async () => undefined,
    field: (page) => setting(page, 'ldap_server').getByRole('textbox'),
    text: 'ldap.example.org',
    save: saveSettings,
  },
  {
    name: 'a secret of sign-in',
    path: '/admin/authentication/ldap',
    open: async () => undefined,
    field: (page) => setting(page, 'ldap_bind_password').locator('input').first(),
    text: 'not-to-be-stored-93',
    save: saveSettings,
    secret: true,
  },
  {
    name: 'a mapping of groups',
    path: '/admin/authentication/group-mappings',
    open: press('Add mapping'),
    field: fieldInDialog('Directory group (DN)'),
    text: 'cn=staff,dc=example,dc=org',
    dialog: true,
  },
  {
    name: 'the schedule of the directory',
    path: '/admin/directory-sync',
    open: async () => undefined,
    field: (page) => page.getByLabel('Schedule', { exact: true }),
    text: '5 4 * * 1',
    save: saveSettings,
  },
  {
    name: 'the schedule of backups',
    path: '/admin/backups',
    open: async () => undefined,
    field: (page) => page.getByLabel('Schedule', { exact: true }),
    text: '5 4 * * 2',
    save: saveSettings,
  },
  {
    name: 'the passphrase of backups',
    path: '/admin/backups',
    open: async (page) => await page.getByRole('switch', { name: 'Encrypt backups' }).check(),
    field: (page) => page.getByLabel('Passphrase', { exact: true }),
    text: 'not-to-be-stored-97',
    secret: true,
  },
  {
    name: 'the folder of the media mirror',
    path: '/admin/media-mirror',
    open: async () => undefined,
    field: (page) => page.getByLabel('Path of the folder', { exact: true }),
    text: '/mnt/mirror-of-recordings',
  },
  {
    name: 'the reason of a pause',
    path: '/admin/queues',
    open: press('Pause gpu'),
    field: fieldInDialog('Reason'),
    text: 'The driver is being replaced',
    save: inDialog('Pause'),
    dialog: true,
  },
  {
    name: 'the person a file is shared with',
    path: filePath,
    open: fileMenu('Share'),
    field: person,
    text: accountLabel,
    choose: choosePerson(person),
    save: inDialog('Share'),
    dialog: true,
  },
  {
    name: 'the person that selected files are shared with',
    path: '/',
    open: bulkAction(/^Share 1 recording/),
    field: person,
    text: accountLabel,
    choose: choosePerson(person),
    save: inDialog('Share'),
    dialog: true,
  },
  {
    name: 'a tag of selected files',
    path: '/',
    open: bulkAction(/^Tag 1 recording/),
    field: (page) => page.getByRole('dialog').getByRole('combobox', { name: 'Tags' }),
    text: 'board meeting',
    save: inDialog('Add tags'),
    dialog: true,
  },
  {
    name: 'the title of an upload',
    path: '/',
    open: (page) => page.getByTestId('file-input').setInputFiles(recordingPath),
    field: (page) => page.getByRole('dialog').getByLabel('Title', { exact: true }).first(),
    text: 'Memo of the board',
    dialog: true,
  },
  {
    name: 'a new member of a group',
    path: `/groups/${group.uuid}`,
    open: async () => undefined,
    field: newMember,
    text: accountLabel,
    choose: choosePerson(newMember),
    save: press('Add'),
  },
  {
    name: 'the certificate of an account',
    path: `/admin/users/${account.uuid}`,
    open: press('Link certificate'),
    field: fieldInDialog('Subject of the certificate'),
    text: 'CN=Alice Example,O=Example',
    save: inDialog('Link certificate'),
    dialog: true,
  },
  {
    name: 'the first password of a new account',
    path: '/admin/users',
    open: press('Add user'),
    field: fieldInDialog('Password'),
    text: 'not-to-be-stored-94',
    dialog: true,
    secret: true,
  },
  {
    name: 'a changed password',
    path: '/account',
    open: async () => undefined,
    field: (page) => page.getByLabel('New password', { exact: true }),
    text: 'not-to-be-stored-95',
    secret: true,
  },
  {
    name: 'the address of a registration',
    path: '/register',
    open: async () => undefined,
    field: (page) => page.getByLabel('E-mail address', { exact: true }),
    text: 'newcomer@example.org',
    signedOut: true,
  },
  {
    name: 'the password of a registration',
    path: '/register',
    open: async () => undefined,
    field: (page) => page.getByLabel('Password', { exact: true }),
    text: 'not-to-be-stored-96',
    secret: true,
    signedOut: true,
  },
  {
    name: 'the password of an invited person',
    path: '/invitation#the-token',
    open: async () => undefined,
    field: (page) => page.getByLabel('New password', { exact: true }),
    text: 'not-to-be-stored-97',
    secret: true,
    signedOut: true,
  },
];

function press(name: string | RegExp) {
  return (page: Page) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click();
}

function pressEnter(page: Page) {
  return page.keyboard.press('Enter');
}

function fieldInDialog(label: string) {
  return (page: Page) => page.getByRole('dialog').getByLabel(label, { exact: true });
}

function inDialog(name: string) {
  return (page: Page) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
}

function setting(page: Page, key: string) {
  return page.locator(`[data-testid="setting"][data-key="${key}"]`);
}
