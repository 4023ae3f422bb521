import type { Locator, Page } from 'playwright-core';

/** One place where text can be typed: a row here puts it through every careless act. */
export type Place = {
  readonly name: string;
  readonly path: string;
  /** Shows the field, unless it is shown already. */
  readonly open: (page: Page) => Promise<void>;
  readonly field: (page: Page) => Locator;
  readonly text: string;
  /** Sends what is typed; in a place without it the text is sent with other fields. */
  readonly save?: (page: Page) => Promise<void>;
  /** In front of the page: the page behind cannot be clicked. */
  readonly dialog?: boolean;
  /** Must not be stored: it is asked for before it is lost, and is not there after the session ended. */
  readonly secret?: boolean;
};

const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
const inDialog = (name: string) => (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const fieldInDialog = (label: string) => (page: Page) => page.getByRole('dialog').getByLabel(label, { exact: true });
const pressEnter = (page: Page) => page.keyboard.press('Enter');
const setting = (page: Page, key: string) => page.locator(`[data-testid="setting"][data-key="${key}"]`);
const saveSettings = press('Save');

/** Every place where text is typed to be saved. Search and filter fields are not among them: they change nothing. */
export function placesOf(world: { readonly file: string; readonly group: string; readonly user: string }): Place[] {
  const file = `/files/${world.file}`;
  const fileMenu = (item: string) => async (page: Page) => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  return [
    {
      name: 'a passage',
      path: file,
      open: (page) =>
        page
          .getByTestId('segment')
          .first()
          .getByRole('button', { name: /^Edit passage/ })
          .click(),
      field: (page) => page.getByRole('textbox', { name: /^Text of the passage/ }).first(),
      text: 'A correction that nobody saved yet.',
      save: press('Save'),
    },
    {
      name: 'the name of a speaker',
      path: file,
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
      path: file,
      open: press('Add a speaker'),
      field: (page) => page.getByRole('textbox', { name: 'Name of the new speaker' }),
      text: 'Ada Lovelace',
      save: pressEnter,
    },
    {
      name: 'a tag',
      path: file,
      open: press('Add tag'),
      field: (page) => page.getByRole('combobox', { name: 'New tag' }),
      text: 'quarterly',
      save: pressEnter,
    },
    {
      name: 'the title of a file',
      path: file,
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
      name: 'a group that exists',
      path: `/groups/${world.group}`,
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
      path: `/admin/users/${world.user}`,
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
      field: fieldInDialog('Claim'),
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
      name: 'the reason of a pause',
      path: '/admin/queues',
      open: press('Pause gpu'),
      field: fieldInDialog('Reason'),
      text: 'The driver is being replaced',
      save: inDialog('Pause'),
      dialog: true,
    },
  ];
}
