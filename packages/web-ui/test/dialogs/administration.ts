import type { Locator, Page } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from '../ring/example.ts';
import type { ScriptedApi } from '../ring/scripted-api.ts';
import { button, menuItem, request, text, type DialogCase } from './case.ts';

const account = example('GET /api/users/{uuid}', {
  uuid: uuid(20),
  email: 'grace@example.org',
  full_name: 'Grace Hopper',
  is_active: true,
  pki_subject_dn: 'CN=Grace',
});
const applicant = exampleItem('GET /api/admin/user-approvals', 'items', {
  uuid: uuid(21),
  email: 'new@example.org',
  full_name: 'Newcomer',
  approval_status: 'pending',
});
const accountPath = `/admin/users/${account.uuid}`;
const accountSession = exampleItem('GET /api/admin/users/{uuid}/sessions', 'sessions', { uuid: uuid(22) });
const mapping = exampleItem('GET /api/admin/group-mappings', null, {
  uuid: uuid(23),
  source: 'ldap',
  claim_value: 'cn=staff,dc=example,dc=org',
  grants_role: 'user',
});
const rule = exampleItem('GET /api/admin/retention/rules', null, {
  uuid: uuid(24),
  name: 'Old recordings',
  conditions: { older_than_days: 90 },
});
const run = exampleItem('GET /api/admin/retention/runs', 'items', {
  uuid: uuid(25),
  status: 'success',
  library_files: 9,
});
const heldRule = {
  ...exampleItem('GET /api/admin/retention/runs', 'items.rules'),
  rule_uuid: rule.uuid,
  name: rule.name,
  planned: 3,
  set_digest: 'a'.repeat(64),
  status: 'held',
} as (typeof run)['rules'][number];
const hold = exampleItem('GET /api/admin/legal-holds', 'items', {
  uuid: uuid(26),
  file_uuid: uuid(27),
  file_title: 'Minutes',
  reason: 'A law suit',
});
const source = exampleItem('GET /api/admin/watch-sources', 'items', {
  uuid: uuid(28),
  name: 'Scanner',
  kind: 'folder',
  path: '/srv/scans',
  owner_rule: 'fixed',
  owner: 'grace@example.org',
});
const model = exampleItem('GET /api/admin/llm-settings', 'providers', {
  uuid: uuid(29),
  name: 'Local',
  kind: 'ollama',
  base_url: 'http://localhost:11434',
  model: 'small',
});
const deadKind = exampleItem('GET /api/tasks/dead', 'kinds', { queue: 'gpu', error_code: 'timeout', count: 2 });
const installed = exampleItem('GET /api/admin/models', 'installed', { name: 'whisper-small', bytes: 100 });
const listed = exampleItem('GET /api/admin/models', 'catalogue', { name: 'whisper-base', bytes: 100 });
const pass = example('GET /api/admin/directory-sync/passes/{uuid}', {
  pass_uuid: uuid(30),
  status: 'held',
  candidates: 2,
  set_digest: 'b'.repeat(64),
});
const issuerTest = example('POST /api/admin/auth-config/oidc/issuers/test/callback', {
  proof: 'sealed',
  from: 'https://id.example.org/auth',
  to: 'https://id.example.org',
  tester: { uuid: uuid(31), email: 'grace@example.org' },
  accounts: 6,
});
const version = exampleItem('GET /api/search/speaker-index', 'versions', { name: 'v3', state: 'complete' });

function showAccount(api: ScriptedApi): void {
  api.respond('GET /api/users/{uuid}', account);
  api.respond('GET /api/admin/users/{uuid}/sessions', { sessions: [accountSession], total: 1 });
}
function showIssuers(api: ScriptedApi): void {
  api.respond('GET /api/admin/auth-config/oidc/issuers', {
    current: issuerTest.to,
    issuers: [{ issuer: issuerTest.from, accounts: 6, super_admins: 0, is_current: false }],
  });
  api.respond('POST /api/admin/auth-config/oidc/issuers/test/callback', issuerTest);
}
/** Opens the page as the provider does after a test sign-in. */
async function returnFromTest(page: Page): Promise<void> {
  await page.evaluate(() => sessionStorage.setItem('overtone-issuer-test', 'the-state'));
  await page.goto('/login?code=a-code&state=the-state');
}
function showMappings(api: ScriptedApi): void {
  api.respond('GET /api/admin/group-mappings', [mapping]);
}
function showRetention(api: ScriptedApi): void {
  api.respond('GET /api/admin/retention/rules', [rule]);
  api.respond('GET /api/admin/retention/runs', listOf([{ ...run, rules: [heldRule] }]));
}
function showHolds(api: ScriptedApi): void {
  api.respond('GET /api/admin/legal-holds', listOf([hold]));
}
const wordTemplate = exampleItem('GET /api/word-templates', null, {
  uuid: uuid(85),
  name: 'Letterhead',
  placeholders: ['title'],
});
function showWordTemplates(api: ScriptedApi): void {
  api.respond('GET /api/word-templates', [wordTemplate]);
}
async function chooseDocument(dialog: Locator): Promise<void> {
  const buffer = Buffer.from('a document');
  const input = dialog.getByTestId('word-template-input');
  await input.setInputFiles({ name: 'Letterhead.docx', mimeType: 'application/octet-stream', buffer });
}
function showSources(api: ScriptedApi): void {
  api.respond('GET /api/admin/watch-sources', { items: [source], roots: ['/srv'] });
}
function showModels(api: ScriptedApi): void {
  api.respond('GET /api/admin/llm-settings', { settings: [], providers: [model] });
}
function showPass(api: ScriptedApi, changes: Partial<typeof pass> = {}): void {
  api.respond('GET /api/admin/directory-sync/passes/{uuid}', { ...pass, ...changes });
}

/** The dialogs of administrators' pages. */
export const administrationDialogs: readonly DialogCase[] = [
  {
    name: 'Add user',
    source: 'admin/users/create-user-dialog.tsx',
    path: '/admin/users',
    opener: button('Add user'),
    fill: async (dialog) => {
      await dialog.getByLabel('Signs in through', { exact: true }).selectOption('ldap');
      await dialog.getByLabel('E-mail address', { exact: true }).fill('grace@example.org');
    },
    field: { label: 'E-mail address', text: 'grace@example.org' },
    refusedField: 'email',
    request: request({
      submit: 'Add user',
      route: 'POST /api/admin/users',
      sends: { email: 'grace@example.org', role: 'user', auth_type: 'ldap', must_change_password: false },
      response: { ...account, invitation: null },
    }),
  },
  {
    name: 'Invitation link',
    source: 'admin/users/invitation-link.tsx',
    path: accountPath,
    world: (api) => {
      showAccount(api);
      api.respond('POST /api/admin/users/{uuid}/invitation', {
        token: 'the-token',
        expires_at: '2026-12-05T00:00:00.000Z',
      });
    },
    opener: button('Create invitation link'),
  },
  {
    name: 'Reset a password',
    source: 'admin/users/reset-password-dialog.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Reset password'),
    ...text('New password', 'Silver-Lantern-73'),
    isStored: false,
    refusedField: 'new_password',
    request: request({
      submit: 'Set password',
      route: 'POST /api/admin/users/{uuid}/reset-password',
      sends: { new_password: 'Silver-Lantern-73', force_change: true },
      response: { success: true, sessions_terminated: 0 },
    }),
  },
  {
    name: 'Disable an account',
    source: 'admin/users/user-access.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Disable'),
    request: request({
      submit: 'Disable',
      route: 'PUT /api/users/{uuid}',
      sends: { is_active: false },
      response: { ...account, is_active: false },
    }),
  },
  {
    name: 'Delete an account',
    source: 'admin/users/delete-user-dialog.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Delete'),
    ...text(`Type ${account.full_name} to confirm`, account.full_name),
    isStored: false,
    request: request({ submit: 'Delete', route: 'DELETE /api/users/{uuid}' }),
  },
  {
    name: 'Change the role of an account',
    source: 'admin/users/user-access.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Change role'),
    open: async (page) => {
      await page.getByLabel('Role', { exact: true }).selectOption('admin');
      await button('Change role')(page).click();
    },
    request: request({
      submit: 'Change role',
      route: 'PUT /api/admin/users/{uuid}/role',
      response: { success: true, old_role: 'user', new_role: 'admin' },
    }),
  },
  {
    name: 'End all sessions of an account',
    source: 'admin/users/user-sessions.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('End all sessions'),
    request: request({
      submit: 'End all',
      route: 'DELETE /api/admin/users/{uuid}/sessions',
      response: { success: true, sessions_terminated: 1 },
    }),
  },
  {
    name: 'Link a certificate',
    source: 'admin/users/user-certificate.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Change certificate'),
    ...text('Subject of the certificate', 'CN=Grace Hopper'),
    request: request({
      submit: 'Link certificate',
      route: 'PUT /api/admin/users/{uuid}/certificate',
      sends: { subject: 'CN=Grace Hopper', issuer: null },
      response: account,
    }),
  },
  {
    name: 'Remove a certificate',
    source: 'admin/users/user-certificate.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Remove link'),
    request: request({
      submit: 'Remove link',
      route: 'DELETE /api/admin/users/{uuid}/certificate',
    }),
  },
  {
    name: 'Erase a person',
    source: 'admin/erasures/erase-person.tsx',
    path: accountPath,
    world: showAccount,
    opener: button('Erase this person'),
    ...text(`Type the address ${account.email}`, account.email),
    isStored: false,
    request: request({
      submit: 'Erase permanently',
      route: 'POST /api/admin/users/{uuid}/erasure',
      sends: { confirm_email: account.email },
      response: example('POST /api/admin/users/{uuid}/erasure'),
    }),
  },
  {
    name: 'Reject an account',
    source: 'admin/users/approvals-page.tsx',
    path: '/admin/approvals',
    world: (api) => api.respond('GET /api/admin/user-approvals', listOf([applicant])),
    opener: button('Reject Newcomer'),
    ...text('Reason', 'Not a member'),
    request: request({
      submit: 'Reject',
      route: 'POST /api/admin/user-approvals/{uuid}/reject',
      sends: { reason: 'Not a member' },
      response: example('POST /api/admin/user-approvals/{uuid}/reject'),
    }),
  },
  {
    name: 'Move accounts to a new address of the identity provider',
    source: 'admin/auth/issuer-move.tsx',
    path: '/admin/authentication/oidc',
    world: showIssuers,
    opener: button('Move 6 accounts'),
    open: async (page) => {
      if (!(await button('Move 6 accounts')(page).isVisible())) await returnFromTest(page);
      await button('Move 6 accounts')(page).click();
    },
    ...text(`Type the new address ${issuerTest.to}`, issuerTest.to),
    isStored: false,
    request: request({
      submit: 'Move accounts',
      route: 'POST /api/admin/auth-config/oidc/issuers/move',
      sends: { proof: issuerTest.proof, confirm_issuer: issuerTest.to, accounts: 6 },
      response: { accounts: 6, sessions_terminated: 4 },
    }),
  },
  {
    name: 'Add mapping',
    source: 'admin/auth/mapping-dialog.tsx',
    path: '/admin/authentication/group-mappings',
    opener: button('Add mapping'),
    fill: async (dialog) => {
      await dialog.getByLabel('Directory group (DN)', { exact: true }).fill('cn=staff,dc=example,dc=org');
      await dialog.getByLabel('Role', { exact: true }).selectOption('user');
    },
    field: { label: 'Directory group (DN)', text: 'cn=staff,dc=example,dc=org' },
    refusedField: 'claim_value',
    request: request({
      submit: 'Add mapping',
      route: 'POST /api/admin/group-mappings',
      sends: {
        source: 'ldap',
        claim_value: 'cn=staff,dc=example,dc=org',
        group_uuid: null,
        grants_role: 'user',
        description: null,
      },
      response: mapping,
    }),
  },
  {
    name: 'Edit mapping',
    source: 'admin/auth/mapping-dialog.tsx',
    path: '/admin/authentication/group-mappings',
    world: showMappings,
    opener: button(`Edit ${mapping.claim_value}`),
    ...text('Directory group (DN)', 'cn=crew,dc=example,dc=org'),
    refusedField: 'claim_value',
    request: request({
      submit: 'Save',
      route: 'PUT /api/admin/group-mappings/{uuid}',
      sends: { claim_value: 'cn=crew,dc=example,dc=org' },
      response: mapping,
    }),
  },
  {
    name: 'Delete a mapping',
    source: 'admin/auth/mappings-panel.tsx',
    path: '/admin/authentication/group-mappings',
    world: showMappings,
    opener: button(`Delete ${mapping.claim_value}`),
    request: request({ submit: 'Delete', route: 'DELETE /api/admin/group-mappings/{uuid}' }),
  },
  {
    name: 'End the sessions of a source',
    source: 'admin/auth/source-sessions.tsx',
    path: '/admin/authentication/ldap',
    world: (api) =>
      api.respond('GET /api/admin/auth-config/{category}/sessions', { accounts: 1, sessions: 2, enabled: false }),
    opener: button('End these sessions'),
    request: request({
      submit: 'End sessions',
      route: 'DELETE /api/admin/auth-config/{category}/sessions',
      response: { success: true, accounts: 1, sessions_terminated: 2 },
    }),
  },
  {
    name: 'Add a retention rule',
    source: 'admin/retention/rule-dialog.tsx',
    path: '/admin/retention',
    opener: button('Add rule'),
    fill: async (dialog) => {
      await dialog.getByLabel('Name', { exact: true }).fill('Old recordings');
      await dialog.getByLabel('Uploaded more than this many days ago', { exact: true }).fill('90');
    },
    field: { label: 'Name', text: 'Old recordings' },
    request: request({
      submit: 'Save',
      route: 'POST /api/admin/retention/rules',
      sends: { name: 'Old recordings', enabled: false, removes: 'recording', conditions: { older_than_days: 90 } },
      response: rule,
    }),
  },
  {
    name: 'Change a retention rule',
    source: 'admin/retention/rule-dialog.tsx',
    path: '/admin/retention',
    world: showRetention,
    opener: button('Change'),
    fill: (dialog) => dialog.getByLabel('Name', { exact: true }).fill('Very old recordings'),
    field: { label: 'Name', text: 'Very old recordings' },
    request: request({
      submit: 'Save',
      route: 'PUT /api/admin/retention/rules/{uuid}',
      sends: { name: 'Very old recordings' },
      response: { ...rule, name: 'Very old recordings' },
    }),
  },
  {
    name: 'Delete a retention rule',
    source: 'admin/retention/rule-list.tsx',
    path: '/admin/retention',
    world: showRetention,
    opener: button('Delete'),
    request: request({ submit: 'Delete the rule', route: 'DELETE /api/admin/retention/rules/{uuid}' }),
  },
  {
    name: 'Preview a retention rule',
    source: 'admin/retention/rule-list.tsx',
    path: '/admin/retention',
    world: showRetention,
    opener: button('Preview'),
  },
  {
    name: 'Approve what a retention rule removes',
    source: 'admin/retention/run-list.tsx',
    path: '/admin/retention',
    world: showRetention,
    opener: button('Approve these files'),
    request: request({
      submit: 'Remove',
      route: 'POST /api/admin/retention/runs/{uuid}/approve',
      sends: { rule_uuid: rule.uuid, set_digest: heldRule.set_digest },
      response: example('POST /api/admin/retention/runs/{uuid}/approve'),
    }),
  },
  {
    name: 'Files of a retention run',
    source: 'admin/retention/run-list.tsx',
    path: '/admin/retention',
    world: showRetention,
    opener: button('Show the files'),
  },
  {
    name: 'Place a legal hold',
    source: 'admin/retention/legal-holds-page.tsx',
    path: '/admin/legal-holds',
    opener: button('Place a hold'),
    fill: async (dialog) => {
      await dialog.getByLabel('Address of the file’s page', { exact: true }).fill(uuid(27));
      await dialog.getByLabel('Reason', { exact: true }).fill('A law suit');
    },
    field: { label: 'Reason', text: 'A law suit' },
    isStored: false,
    request: request({
      submit: 'Place the hold',
      route: 'POST /api/admin/legal-holds',
      sends: { file_uuid: uuid(27), reason: 'A law suit' },
      response: hold,
    }),
  },
  {
    name: 'Release a legal hold',
    source: 'admin/retention/legal-holds-page.tsx',
    path: '/admin/legal-holds',
    world: showHolds,
    opener: button('Release'),
    request: request({ submit: 'Release', route: 'DELETE /api/admin/legal-holds/{uuid}' }),
  },
  {
    name: 'Add a Word template',
    source: 'admin/word-templates/word-template-dialogs.tsx',
    path: '/admin/word-templates',
    opener: button('Add template'),
    fill: async (dialog) => {
      await chooseDocument(dialog);
      await dialog.getByLabel('Name', { exact: true }).fill('Court');
    },
    field: { label: 'Name', text: 'Court' },
    refusedField: 'name',
    isStored: false,
    request: request({ submit: 'Add template', route: 'POST /api/admin/word-templates', response: wordTemplate }),
  },
  {
    name: 'Replace a Word template',
    source: 'admin/word-templates/word-template-dialogs.tsx',
    path: '/admin/word-templates',
    world: showWordTemplates,
    ...menuItem('Actions for Letterhead', 'Replace the document'),
    fill: chooseDocument,
    request: request({
      submit: 'Replace',
      route: 'PUT /api/admin/word-templates/{uuid}/content',
      response: wordTemplate,
    }),
  },
  {
    name: 'Rename a Word template',
    source: 'admin/word-templates/word-template-dialogs.tsx',
    path: '/admin/word-templates',
    world: showWordTemplates,
    ...menuItem('Actions for Letterhead', 'Rename'),
    ...text('Name', 'Court'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/admin/word-templates/{uuid}',
      sends: { name: 'Court' },
      response: { ...wordTemplate, name: 'Court' },
    }),
  },
  {
    name: 'Delete a Word template',
    source: 'admin/word-templates/word-template-dialogs.tsx',
    path: '/admin/word-templates',
    world: showWordTemplates,
    ...menuItem('Actions for Letterhead', 'Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/admin/word-templates/{uuid}' }),
  },
  {
    name: 'Pause a queue',
    source: 'admin/queues/pause-dialog.tsx',
    path: '/admin/queues',
    world: (api) =>
      api.respond(
        'GET /api/admin/queues',
        example('GET /api/admin/queues', {
          queues: [exampleItem('GET /api/admin/queues', 'queues', { queue: 'gpu' })],
        }),
      ),
    opener: button('Pause gpu'),
    ...text('Reason', 'The driver is replaced'),
    request: request({
      submit: 'Pause',
      route: 'POST /api/admin/queues/{queue}/pause',
      sends: { reason: 'The driver is replaced' },
      response: example('POST /api/admin/queues/{queue}/pause'),
    }),
  },
  {
    name: 'Discard failed jobs',
    source: 'admin/queues/dead-jobs.tsx',
    path: '/admin/queues',
    world: (api) => api.respond('GET /api/tasks/dead', example('GET /api/tasks/dead', { kinds: [deadKind], total: 2 })),
    opener: (page) => page.getByRole('button', { name: /^Discard all/ }),
    request: request({
      submit: 'Discard',
      route: 'POST /api/tasks/dead/discard',
      sends: { queue: 'gpu', task_type: deadKind.task_type, error_code: 'timeout' },
      response: example('POST /api/tasks/dead/discard'),
    }),
  },
  {
    name: 'Add a watch source',
    source: 'admin/watch-sources/source-dialog.tsx',
    path: '/admin/watch-sources',
    opener: button('Add source'),
    fill: async (dialog) => {
      await dialog.getByLabel('Name', { exact: true }).fill('Scanner');
      await dialog.getByLabel('Folder', { exact: true }).fill('/srv/scans');
      await dialog.getByLabel('Owner', { exact: true }).fill('grace@example.org');
    },
    field: { label: 'Name', text: 'Scanner' },
    refusedField: 'name',
    request: request({ submit: 'Save', route: 'POST /api/admin/watch-sources', response: source }),
  },
  {
    name: 'Stop watching a source',
    source: 'admin/watch-sources/watch-sources-page.tsx',
    path: '/admin/watch-sources',
    world: showSources,
    opener: button('Remove'),
    request: request({ submit: 'Stop watching', route: 'DELETE /api/admin/watch-sources/{uuid}' }),
  },
  {
    name: 'Decisions of a watch source',
    source: 'admin/watch-sources/decisions-dialog.tsx',
    path: '/admin/watch-sources',
    world: showSources,
    opener: button('Decisions'),
  },
  {
    name: 'Add a language model',
    source: 'language-models/model-dialog.tsx',
    path: '/admin/language-models',
    opener: button('Add a language model'),
    fill: async (dialog) => {
      await dialog.getByLabel('Name', { exact: true }).fill('Local');
      await dialog.getByLabel('Address', { exact: true }).fill('http://localhost:11434');
      // The list of its suggestions is empty: Escape belongs to the dialog.
      await dialog.getByLabel('Model', { exact: true }).fill('small');
    },
    field: { label: 'Name', text: 'Local' },
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'POST /api/admin/llm-settings',
      sends: {
        name: 'Local',
        kind: 'ollama',
        base_url: 'http://localhost:11434',
        model: 'small',
        context_tokens: null,
        max_parallel: 4,
        timeout_seconds: 300,
      },
      response: model,
    }),
  },
  {
    name: 'Remove a language model',
    source: 'language-models/model-list.tsx',
    path: '/admin/language-models',
    world: showModels,
    opener: button('Remove: Local'),
    request: request({ submit: 'Remove', route: 'DELETE /api/admin/llm-settings/config/{uuid}' }),
  },
  {
    name: 'Remove a model of the speech engine',
    source: 'admin/models/models.tsx',
    path: '/admin',
    world: (api) => api.respond('GET /api/admin/models', example('GET /api/admin/models', { installed: [installed] })),
    opener: button('Remove'),
    request: request({
      submit: 'Remove',
      route: 'DELETE /api/admin/models/{name}',
      response: example('DELETE /api/admin/models/{name}'),
    }),
  },
  {
    name: 'Cancel the download of a model',
    source: 'admin/models/models.tsx',
    path: '/admin',
    world: (api) =>
      api.respond(
        'GET /api/admin/models',
        example('GET /api/admin/models', {
          catalogue: [listed],
          tasks: [
            exampleItem('GET /api/admin/models', 'tasks', { name: listed.name, state: 'running', total_bytes: 9 }),
          ],
        }),
      ),
    opener: button('Cancel'),
    cancel: 'Continue',
    request: request({
      submit: 'Cancel the download',
      route: 'DELETE /api/admin/models/{name}',
      response: example('DELETE /api/admin/models/{name}'),
    }),
  },
  {
    name: 'Approve the set of a directory run',
    source: 'admin/sync/run-actions.tsx',
    path: `/admin/directory-sync/passes/${pass.pass_uuid}`,
    world: (api) => showPass(api),
    opener: button('Approve this set'),
    request: request({
      submit: 'Disable 2',
      route: 'POST /api/admin/directory-sync/passes/{uuid}/approve',
      sends: { set_digest: pass.set_digest ?? '' },
      response: example('POST /api/admin/directory-sync/passes/{uuid}/approve'),
    }),
  },
  {
    name: 'Undo a directory run',
    source: 'admin/sync/run-actions.tsx',
    path: `/admin/directory-sync/passes/${pass.pass_uuid}`,
    world: (api) => showPass(api, { status: 'ok', disabled: 2 }),
    opener: button('Undo'),
    request: request({
      submit: 'Enable again',
      route: 'POST /api/admin/directory-sync/passes/{uuid}/undo',
      response: example('POST /api/admin/directory-sync/passes/{uuid}/undo', { restored: 2 }),
    }),
  },
  {
    name: 'Delete a version of the speaker index',
    source: 'admin/speaker-index.tsx',
    path: '/admin/search',
    world: (api) =>
      api.respond(
        'GET /api/search/speaker-index',
        example('GET /api/search/speaker-index', { enabled: true, versions: [version] }),
      ),
    opener: button('Delete v3'),
    request: request({
      submit: 'Delete',
      route: 'DELETE /api/search/speaker-index/versions/{version}',
      response: example('GET /api/search/speaker-index', { enabled: true }),
    }),
  },
  {
    name: 'Save providers that cannot transcribe',
    source: 'admin/asr/asr-page.tsx',
    path: '/admin/asr',
    world: (api) => api.refuse('PUT /api/admin/asr-providers', { code: 'no_provider_ready' }),
    opener: button('Save'),
    open: async (page) => {
      if (await button('Save')(page).isDisabled()) {
        await button('Add provider')(page).click();
        await page.getByRole('menuitem', { name: 'PocketSphinx', exact: true }).click();
      }
      // A second submit of an unchanged form is ignored for half a second.
      await page.getByLabel('Name', { exact: true }).fill('Speech');
      await button('Save')(page).click();
    },
    cancel: 'Cancel',
  },
  {
    name: 'Save a sign-in source whose test failed',
    source: 'admin/auth/settings-form.tsx',
    path: '/admin/authentication/ldap',
    world: (api) => {
      const enabled = {
        config_key: 'ldap_enabled',
        config_value: false,
        is_sensitive: false,
        is_set: false,
        origin: 'default' as const,
        category: 'ldap' as const,
        data_type: 'boolean' as const,
        default_value: false,
        description: '',
        updated_at: null,
        updated_by: null,
      };
      api.respond('GET /api/admin/auth-config', { ...example('GET /api/admin/auth-config'), ldap: [enabled] });
      api.respond(
        'POST /api/admin/auth-config/{category}/test',
        example('POST /api/admin/auth-config/{category}/test', {
          success: false,
          message: 'The server does not respond.',
        }),
      );
    },
    opener: button('Save'),
    open: async (page) => {
      if (await button('Save')(page).isDisabled()) {
        await button('Test connection')(page).click();
        await page.getByTestId('test-result').getByText('The server does not respond.').waitFor();
      }
      // A second submit of an unchanged form is ignored for half a second.
      await page.getByRole('switch').first().uncheck();
      await page.getByRole('switch').first().check();
      await button('Save')(page).click();
    },
    cancel: 'Cancel',
  },
  {
    name: 'Delete all stored voices',
    source: 'admin/settings/settings-form.tsx',
    path: '/admin/voices',
    world: (api) =>
      api.respond('GET /api/admin/voice-profiles', {
        settings: [
          exampleItem('GET /api/admin/voice-profiles', 'settings', {
            key: 'profiles_enabled',
            type: 'boolean',
            value: true,
            default_value: false,
          }),
        ],
      }),
    opener: button('Save'),
    open: async (page) => {
      // A second submit of an unchanged form is ignored for half a second.
      await page.getByRole('switch').first().check();
      await page.getByRole('switch').first().uncheck();
      await button('Save')(page).click();
    },
    request: request({
      submit: 'Switch off and delete',
      route: 'PUT /api/admin/voice-profiles',
      sends: { profiles_enabled: false },
      response: { settings: [] },
    }),
  },
];
