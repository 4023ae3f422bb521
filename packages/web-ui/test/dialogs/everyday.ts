import type { Page } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from '../ring/example.ts';
import type { ScriptedApi } from '../ring/scripted-api.ts';
import { foundIn } from '../ring/found-places.ts';
import { storeTranscript, transcriptPath } from '../transcript/stored-transcript.ts';
import { button, menuItem, request, text, type DialogCase } from './case.ts';

const member = exampleItem('GET /api/groups/{uuid}', 'members', { user_id: uuid(32), full_name: 'Joan Clarke' });
const group = example('GET /api/groups/{uuid}', {
  uuid: uuid(2),
  name: 'Editors',
  my_role: 'manager',
  members: [{ ...member, source: 'manual' }],
});
const collection = example('GET /api/collections/{uuid}', { uuid: uuid(3), name: 'Board' });
const file = exampleItem('GET /api/files', 'items', {
  uuid: uuid(4),
  title: 'Minutes',
  status: 'completed',
  has_media: true,
});
const binned = exampleItem('GET /api/files/bin', 'items', { uuid: uuid(5), title: 'Old minutes' });
const savedSearch = exampleItem('GET /api/search/saved', 'items', {
  uuid: uuid(6),
  name: 'Budget',
  search: { ...exampleItem('GET /api/search/saved', 'items').search, q: 'budget' },
});
const prompt = exampleItem('GET /api/prompts', 'items', { uuid: uuid(7), name: 'Short', is_own: true });
const promptText = example('GET /api/prompts/{uuid}', { ...prompt, text: 'Summarise in three sentences.' });
const profile = exampleItem('GET /api/speaker-profiles', 'profiles', { uuid: uuid(8), name: 'Grace', speakers: 2 });
const otherProfile = { ...profile, uuid: uuid(9), name: 'Linus' };
const voice = exampleItem('GET /api/speaker-profiles/{uuid}/occurrences', null, {
  speaker_uuid: uuid(10),
  label: 'SPEAKER_01',
  file_uuid: file.uuid,
  file_title: file.title,
});
const conversation = example('GET /api/ask/conversations/{uuid}', {
  uuid: uuid(11),
  title: 'Budget',
  scope: 'library',
  is_owner: true,
});
const openRecording = exampleItem('GET /api/files/recordings', 'items', { upload_id: uuid(12), title: 'Interview' });

const transcribed = example('GET /api/files/{uuid}', { ...file, uuid: uuid(15), total_segments: 1 });
const summary = example('GET /api/files/{uuid}/summary', { file_id: transcribed.uuid, version: 1, state: 'completed' });

function showTranscript(api: ScriptedApi): void {
  api.respond('GET /api/files/{uuid}', transcribed);
  api.respond(
    'GET /api/files/{uuid}/summary-status',
    example('GET /api/files/{uuid}/summary-status', { can_generate: true }),
  );
}
const version = exampleItem('GET /api/files/{uuid}/transcript/versions', 'items', {
  uuid: uuid(16),
  name: 'Draft',
  available: true,
});
function showVersions(api: ScriptedApi): void {
  storeTranscript(['Good morning everybody']).serve(api);
  api.respond('GET /api/files/{uuid}/transcript/versions', { items: [version], corrections: 2 });
}
function showSummary(api: ScriptedApi): void {
  api.respond('GET /api/files/{uuid}', transcribed);
  api.respond('GET /api/files/{uuid}/summary', summary);
  api.respond(
    'GET /api/files/{uuid}/summary-status',
    example('GET /api/files/{uuid}/summary-status', {
      status: 'completed',
      version: 1,
      shown_version: 1,
      can_generate: true,
    }),
  );
}
function showGroup(api: ScriptedApi): void {
  api.respond('GET /api/groups/{uuid}', group);
}
function showCollection(api: ScriptedApi): void {
  api.respond('GET /api/collections/{uuid}', collection);
}
function showFiles(api: ScriptedApi): void {
  api.respond('GET /api/files', listOf([file]));
}
function showBin(api: ScriptedApi): void {
  api.respond('GET /api/files/bin', listOf([binned]));
}
function showPrompts(api: ScriptedApi): void {
  api.respond('GET /api/prompts', listOf([prompt]));
  api.respond('GET /api/prompts/{uuid}', promptText);
}
function showProfiles(api: ScriptedApi): void {
  api.respond('GET /api/speaker-profiles', {
    enabled: true,
    profiles: [profile, otherProfile],
    without_members: [{ ...profile, uuid: uuid(13), name: 'Ghost', group_uuid: uuid(14) }],
  });
  api.respond('GET /api/speaker-profiles/{uuid}/occurrences', [voice]);
  api.respond('GET /api/groups', [group]);
}
function showConversation(api: ScriptedApi): void {
  api.respond('GET /api/ask/conversations/{uuid}', conversation);
}

function showLimit(api: ScriptedApi, max_bytes: number): void {
  api.respond('GET /api/files/upload-limits', example('GET /api/files/upload-limits', { max_bytes }));
}

async function chooseRecording(page: Page): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await button('Upload')(page).click();
  await (await chooser).setFiles({ name: 'memo.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') });
}

/** Opens a dialog for the only file of the library after it is selected. */
function selected(action: string): Pick<DialogCase, 'opener' | 'open'> {
  return {
    opener: button(action),
    open: async (page) => {
      const select = page.getByRole('checkbox', { name: `Select ${file.title}` });
      if (!(await select.isChecked())) await select.check();
      await button(action)(page).click();
    },
  };
}

const thread = exampleItem('GET /api/files/{uuid}/comments', 'threads', {
  uuid: uuid(40),
  text: 'Check this',
  can_edit: true,
  can_delete: true,
});
function showComments(api: ScriptedApi): void {
  storeTranscript(['Good morning everybody']).serve(api);
  api.respond('GET /api/files/{uuid}/comments', { threads: [thread] });
}

const code = exampleItem('GET /api/code-lists/{uuid}', 'codes', { uuid: uuid(51), name: 'Trust', color: 'red' });
const codeList = example('GET /api/code-lists/{uuid}', {
  uuid: uuid(50),
  name: 'Study',
  my_permission: 'owner',
  owner_name: null,
  codes: [code],
});
function showCodes(api: ScriptedApi): void {
  storeTranscript(['Good morning everybody']).serve(api);
  api.respond('GET /api/code-lists', listOf([codeList]));
  api.respond('GET /api/code-lists/{uuid}', codeList);
}

const template = exampleItem('GET /api/export-templates', 'items', {
  uuid: uuid(80),
  name: 'Court',
  format: 'pdf',
  my_permission: 'owner',
  owner_name: null,
  for_everybody: false,
});
function showTemplates(api: ScriptedApi): void {
  api.respond('GET /api/export-templates', listOf([template]));
}

/** The dialogs of everybody's pages. */
export const everydayDialogs: readonly DialogCase[] = [
  {
    name: 'Comment',
    source: 'file/comments/comment-dialog.tsx',
    path: transcriptPath,
    world: showComments,
    opener: button('Comment'),
    ...text('Comment', 'Who is this?'),
    request: request({
      submit: 'Add comment',
      route: 'POST /api/files/{uuid}/comments',
      sends: { start_time: 0, end_time: 0, text: 'Who is this?', mentions: [] },
      response: thread,
    }),
  },
  {
    name: 'Delete a comment',
    source: 'file/comments/comments-panel.tsx',
    path: transcriptPath,
    world: showComments,
    opener: (page) => page.getByTestId('comments').getByRole('button', { name: 'Delete', exact: true }),
    open: async (page) => {
      const panel = page.locator('details', { has: page.locator('summary', { hasText: '1 comment' }) });
      if ((await panel.getAttribute('open')) === null) await panel.locator('summary').click();
      await page.getByTestId('comments').getByRole('button', { name: 'Delete', exact: true }).click();
    },
    request: request({ submit: 'Delete', route: 'DELETE /api/files/{uuid}/comments/{comment_uuid}' }),
  },
  {
    name: 'Give a code',
    source: 'codes/give-code-dialog.tsx',
    path: transcriptPath,
    world: showCodes,
    opener: (page) => page.getByRole('textbox', { name: 'Transcript' }),
    open: async (page) => {
      await page.locator('[data-seg="0"] p').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Control+Shift+ArrowRight');
      await page.keyboard.press('Alt+g');
    },
    fill: async (dialog) => {
      await dialog.getByLabel('Code', { exact: true }).fill('Tr');
      await dialog.page().getByRole('option', { name: 'Trust' }).click();
    },
    request: request({
      submit: 'Give code',
      route: 'POST /api/files/{uuid}/codings',
      response: exampleItem('GET /api/files/{uuid}/codings', 'codings', { code_uuid: code.uuid }),
    }),
  },
  {
    name: 'Create list of codes',
    source: 'codes/code-list-dialog.tsx',
    path: '/codes',
    opener: button('Create list of codes'),
    ...text('Name', 'Study'),
    refusedField: 'name',
    request: request({
      submit: 'Create',
      route: 'POST /api/code-lists',
      sends: { name: 'Study', description: '' },
      response: codeList,
    }),
  },
  {
    name: 'Edit list of codes',
    source: 'codes/code-list-dialog.tsx',
    path: `/codes/${codeList.uuid}`,
    world: showCodes,
    opener: button('Edit'),
    ...text('Name', 'Interviews'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/code-lists/{uuid}',
      sends: { name: 'Interviews' },
      response: { ...codeList, name: 'Interviews' },
    }),
  },
  {
    name: 'Delete a list of codes',
    source: 'codes/code-list-page.tsx',
    path: `/codes/${codeList.uuid}`,
    world: showCodes,
    opener: button('Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/code-lists/{uuid}' }),
  },
  {
    name: 'Add code',
    source: 'codes/code-dialog.tsx',
    path: `/codes/${codeList.uuid}`,
    world: showCodes,
    opener: button('Add code'),
    ...text('Name', 'Doubt'),
    refusedField: 'name',
    request: request({
      submit: 'Add code',
      route: 'POST /api/code-lists/{uuid}/codes',
      sends: { name: 'Doubt', color: 'orange', description: '', parent_uuid: null },
      response: { ...code, uuid: uuid(52), name: 'Doubt' },
    }),
  },
  {
    name: 'Edit code',
    source: 'codes/code-dialog.tsx',
    path: `/codes/${codeList.uuid}`,
    world: showCodes,
    opener: button('Edit Trust'),
    ...text('Name', 'Faith'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/code-lists/{uuid}/codes/{code_uuid}',
      sends: { name: 'Faith' },
      response: { ...code, name: 'Faith' },
    }),
  },
  {
    name: 'Delete a code',
    source: 'codes/code-list-page.tsx',
    path: `/codes/${codeList.uuid}`,
    world: showCodes,
    opener: button('Delete Trust'),
    request: request({ submit: 'Delete', route: 'DELETE /api/code-lists/{uuid}/codes/{code_uuid}' }),
  },
  {
    name: 'Rename an export template',
    source: 'exports/templates-page.tsx',
    path: '/export-templates',
    world: showTemplates,
    ...menuItem('Actions for Court', 'Rename'),
    ...text('Name', 'Press'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/export-templates/{uuid}',
      sends: { name: 'Press' },
      response: { ...template, name: 'Press' },
    }),
  },
  {
    name: 'Delete an export template',
    source: 'exports/templates-page.tsx',
    path: '/export-templates',
    world: showTemplates,
    ...menuItem('Actions for Court', 'Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/export-templates/{uuid}' }),
  },
  {
    name: 'Add group',
    source: 'groups/group-dialog.tsx',
    path: '/groups',
    opener: button('Add group'),
    ...text('Name', 'Editors'),
    refusedField: 'name',
    request: request({
      submit: 'Add group',
      route: 'POST /api/groups',
      sends: { name: 'Editors', description: '' },
      response: group,
    }),
  },
  {
    name: 'Edit group',
    source: 'groups/group-dialog.tsx',
    path: `/groups/${group.uuid}`,
    world: showGroup,
    opener: button('Edit'),
    ...text('Name', 'Writers'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/groups/{uuid}',
      sends: { name: 'Writers' },
      response: { ...group, name: 'Writers' },
    }),
  },
  {
    name: 'Delete a group',
    source: 'groups/group-page.tsx',
    path: `/groups/${group.uuid}`,
    world: showGroup,
    opener: button('Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/groups/{uuid}' }),
  },
  {
    name: 'Remove a member of a group',
    source: 'groups/group-page.tsx',
    path: `/groups/${group.uuid}`,
    world: showGroup,
    opener: button('Remove Joan Clarke'),
    request: request({ submit: 'Remove', route: 'DELETE /api/groups/{uuid}/members/{user_uuid}' }),
  },
  {
    name: 'Create collection',
    source: 'collections/collection-dialog.tsx',
    path: '/collections',
    opener: button('Create collection'),
    ...text('Name', 'Board'),
    refusedField: 'name',
    request: request({
      submit: 'Create',
      route: 'POST /api/collections',
      sends: { name: 'Board', description: '' },
      response: collection,
    }),
  },
  {
    name: 'Edit collection',
    source: 'collections/collection-dialog.tsx',
    path: `/collections/${collection.uuid}`,
    world: showCollection,
    opener: button('Edit'),
    ...text('Name', 'Committee'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/collections/{uuid}',
      sends: { name: 'Committee' },
      response: { ...collection, name: 'Committee' },
    }),
  },
  {
    name: 'Delete a collection',
    source: 'collections/collection-page.tsx',
    path: `/collections/${collection.uuid}`,
    world: showCollection,
    opener: button('Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/collections/{uuid}' }),
  },
  {
    name: 'Remove a recording from a collection',
    source: 'collections/collection-files.tsx',
    path: `/collections/${collection.uuid}`,
    world: (api) => {
      api.respond('GET /api/collections/{uuid}', { ...collection, my_permission: 'editor', is_shared: true });
      api.respond('GET /api/collections/{uuid}/media', listOf([{ ...file, owner_name: 'Grace Hopper' }]));
    },
    opener: button(`Remove ${file.title} from the collection`),
    request: request({
      submit: 'Remove',
      route: 'DELETE /api/collections/{uuid}/media',
      sends: { media_file_ids: [file.uuid] },
      response: { results: [exampleItem('DELETE /api/collections/{uuid}/media', 'results', { error: null })] },
    }),
  },
  {
    name: 'Add recordings to a collection',
    source: 'collections/add-files.tsx',
    path: `/collections/${collection.uuid}`,
    world: (api) => {
      showCollection(api);
      showFiles(api);
    },
    opener: button('Add recordings'),
    fill: (dialog) => dialog.getByLabel(file.title, { exact: true }).check(),
    isStored: false,
    request: request({
      submit: 'Add 1 recording',
      route: 'POST /api/collections/{uuid}/media',
      sends: { media_file_ids: [file.uuid] },
      response: { results: [exampleItem('POST /api/collections/{uuid}/media', 'results', { error: null })] },
    }),
  },
  {
    name: 'Rename a recording',
    source: 'library/file-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Rename'),
    ...text('Title', 'Better minutes'),
    refusedField: 'title',
    request: request({
      submit: 'Save',
      route: 'PUT /api/files/{uuid}',
      sends: { title: 'Better minutes' },
      response: example('PUT /api/files/{uuid}', { title: 'Better minutes' }),
    }),
  },
  {
    name: 'Transcribe a recording again',
    source: 'library/file-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Transcribe again'),
    request: request({
      submit: 'Transcribe',
      route: 'POST /api/files/{uuid}/reprocess',
      sends: { speakers_by: 'voice', tracks: null },
      response: example('POST /api/files/{uuid}/reprocess'),
    }),
  },
  {
    name: 'Put a recording in quarantine',
    source: 'library/quarantine-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Put in quarantine'),
    ...text('Reason', 'It may be harmful'),
    isStored: false,
    refusedField: 'reason',
    request: request({
      submit: 'Put in quarantine',
      route: 'POST /api/admin/files/{uuid}/quarantine',
      sends: { reason: 'It may be harmful' },
      response: { ...file, status: 'quarantined', quarantine: { reason: 'It may be harmful', since: null } },
    }),
  },
  {
    name: 'Release a recording from quarantine',
    source: 'library/quarantine-dialogs.tsx',
    path: '/',
    world: (api) =>
      api.respond(
        'GET /api/files',
        listOf([{ ...file, status: 'quarantined', quarantine: { reason: 'It may be harmful', since: null } }]),
      ),
    ...menuItem(`Actions for ${file.title}`, 'Release from quarantine'),
    request: request({
      submit: 'Release',
      route: 'DELETE /api/admin/files/{uuid}/quarantine',
      response: file,
    }),
  },
  {
    name: 'Delete a recording',
    source: 'library/file-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Delete'),
    cancel: 'Cancel',
    request: request({ submit: 'Delete', route: 'DELETE /api/files/{uuid}' }),
  },
  {
    name: 'Name a version of a transcript',
    source: 'versions/versions-menu.tsx',
    path: transcriptPath,
    world: showVersions,
    ...menuItem('Versions', 'Name this version'),
    ...text('Name', 'Final'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'POST /api/files/{uuid}/transcript/versions',
      sends: { name: 'Final' },
      response: { ...version, name: 'Final' },
    }),
  },
  {
    name: 'Versions of a transcript',
    source: 'versions/versions-dialog.tsx',
    path: transcriptPath,
    world: showVersions,
    ...menuItem('Versions', 'Compare and restore'),
  },
  {
    name: 'Remove a version of a transcript',
    source: 'versions/versions-dialog.tsx',
    path: transcriptPath,
    world: showVersions,
    opener: button('Versions'),
    open: async (page) => {
      await menuItem('Versions', 'Compare and restore').open?.(page);
      await page.getByRole('button', { name: `Remove “${version.name}”` }).click();
    },
    request: request({
      submit: 'Remove',
      route: 'DELETE /api/files/{uuid}/transcript/versions/{version_uuid}',
      response: { uuid: version.uuid },
    }),
  },
  {
    name: 'Share a recording',
    source: 'library/file-menu.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Share'),
  },
  {
    name: 'Import a transcript of a recording',
    source: 'transcript-import/import-dialog.tsx',
    path: '/',
    world: showFiles,
    ...menuItem(`Actions for ${file.title}`, 'Import transcript'),
    cancel: 'Cancel',
  },
  {
    name: 'Delete a recording permanently',
    source: 'library/bin-page.tsx',
    path: '/bin',
    world: showBin,
    opener: button(`Delete permanently: ${binned.title}`),
    request: request({ submit: 'Delete permanently', route: 'DELETE /api/files/bin/{uuid}' }),
  },
  {
    name: 'Empty the bin',
    source: 'library/bin-bar.tsx',
    path: '/bin',
    world: showBin,
    opener: button('Empty the bin'),
    request: request({
      submit: 'Delete permanently',
      route: 'POST /api/files/bulk',
      sends: { action: 'delete_permanently', file_uuids: [binned.uuid] },
      response: { results: [{ file_uuid: binned.uuid, error: null }] },
    }),
  },
  {
    name: 'Tag selected recordings',
    source: 'library/bulk-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...selected('Tag 1 recording'),
    ...text('Tags', 'board'),
    request: request({
      submit: 'Add tags',
      route: 'POST /api/files/bulk',
      sends: { action: 'add_tags', file_uuids: [file.uuid], tags: ['board'] },
      response: { results: [{ file_uuid: file.uuid, error: null }] },
    }),
  },
  {
    name: 'Share selected recordings',
    source: 'library/bulk-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...selected('Share 1 recording'),
    cancel: 'Cancel',
  },
  {
    name: 'Transcribe selected recordings again',
    source: 'library/bulk-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...selected('Transcribe again 1 recording'),
    request: request({
      submit: 'Transcribe',
      route: 'POST /api/files/bulk',
      sends: { action: 'reprocess', file_uuids: [file.uuid] },
      response: { results: [{ file_uuid: file.uuid, error: null }] },
    }),
  },
  {
    name: 'Delete selected recordings',
    source: 'library/bulk-dialogs.tsx',
    path: '/',
    world: showFiles,
    ...selected('Delete 1 recording'),
    request: request({
      submit: 'Delete',
      route: 'POST /api/files/bulk',
      sends: { action: 'delete', file_uuids: [file.uuid] },
      response: { results: [{ file_uuid: file.uuid, error: null }] },
    }),
  },
  {
    name: 'Export selected transcripts',
    source: 'exports/archive-dialog.tsx',
    path: '/',
    world: showFiles,
    ...selected('Export 1 recording'),
    cancel: 'Cancel',
  },
  {
    name: 'Find and replace in selected recordings',
    source: 'replace/replace-dialog.tsx',
    path: '/',
    world: (api) => {
      showFiles(api);
      api.respond('POST /api/transcripts/find', {
        files: [foundIn(file)],
        complete: true,
      });
    },
    ...selected('Find and replace 1 recording'),
    ...text('Find', 'Smyth'),
    request: request({
      submit: 'Replace 1 place',
      route: 'POST /api/transcripts/replace',
      response: { results: [{ file_uuid: file.uuid, replaced: 1, error: null }] },
    }),
  },
  {
    name: 'Add selected recordings to a collection',
    source: 'collections/add-to-collection.tsx',
    path: '/',
    world: showFiles,
    ...selected('Add to collection 1 recording'),
    cancel: 'Cancel',
  },
  {
    name: 'Import from a link',
    source: 'uploads/url-import-dialog.tsx',
    path: '/',
    ...menuItem('More ways to add', 'Import from a link'),
    ...text('Address', 'https://example.org/talk.mp3'),
    isStored: false,
    request: request({
      submit: 'Import and transcribe',
      route: 'POST /api/files/import-url',
      sends: { url: 'https://example.org/talk.mp3' },
      response: example('POST /api/files/import-url'),
    }),
  },
  {
    name: 'Import a transcript without a recording',
    source: 'transcript-import/import-dialog.tsx',
    path: '/',
    ...menuItem('More ways to add', 'Import a transcript'),
    cancel: 'Cancel',
  },
  {
    name: 'Record',
    source: 'recording/record-dialog.tsx',
    path: '/',
    ...menuItem('More ways to add', 'Record'),
    cancel: 'Cancel',
  },
  {
    name: 'Delete an unfinished recording',
    source: 'recording/unfinished-recordings.tsx',
    path: '/',
    world: (api) => api.respond('GET /api/files/recordings', { items: [openRecording] }),
    opener: button('Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/files/tus/{upload_id}' }),
  },
  {
    name: 'Save a search',
    source: 'search/saved-searches.tsx',
    path: '/search?q=budget',
    opener: button('Save search'),
    ...text('Name', 'Budget of 2026'),
    request: request({
      submit: 'Save',
      route: 'POST /api/search/saved',
      sends: { name: 'Budget of 2026', search: savedSearch.search },
      response: savedSearch,
    }),
  },
  {
    name: 'Saved searches',
    source: 'search/saved-searches.tsx',
    path: '/search',
    world: (api) => api.respond('GET /api/search/saved', { items: [savedSearch] }),
    opener: button('Saved searches'),
  },
  {
    name: 'New prompt',
    source: 'prompts/prompt-dialog.tsx',
    path: '/prompts',
    opener: button('New prompt'),
    fill: async (dialog) => {
      await dialog.getByLabel('Name', { exact: true }).fill('Short');
      await dialog.getByLabel('Instructions', { exact: true }).fill('Three sentences.');
    },
    field: { label: 'Name', text: 'Short' },
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'POST /api/prompts',
      sends: { name: 'Short', description: '', text: 'Three sentences.', content_type: 'general', tags: [] },
      response: promptText,
    }),
  },
  {
    name: 'Change the prompt',
    source: 'prompts/prompt-dialog.tsx',
    path: '/prompts',
    world: showPrompts,
    ...menuItem(`Actions for ${prompt.name}`, 'Change'),
    ...text('Name', 'Shorter'),
    refusedField: 'name',
    request: request({
      submit: 'Save',
      route: 'PUT /api/prompts/{uuid}',
      sends: { name: 'Shorter' },
      response: promptText,
    }),
  },
  {
    name: 'Copy a prompt',
    source: 'prompts/prompt-text.tsx',
    path: '/prompts',
    world: showPrompts,
    ...menuItem(`Actions for ${prompt.name}`, 'Make a copy'),
    cancel: 'Cancel',
  },
  {
    name: 'Show the instructions of a prompt',
    source: 'prompts/prompt-text.tsx',
    path: '/prompts',
    world: showPrompts,
    ...menuItem(`Actions for ${prompt.name}`, 'Show instructions'),
  },
  {
    name: 'Delete a prompt',
    source: 'prompts/prompts-page.tsx',
    path: '/prompts',
    world: showPrompts,
    ...menuItem(`Actions for ${prompt.name}`, 'Delete'),
    request: request({ submit: 'Delete the prompt', route: 'DELETE /api/prompts/{uuid}' }),
  },
  {
    name: 'Recordings of a voice',
    source: 'speakers/profile-voices.tsx',
    path: '/speakers?tab=profiles',
    world: showProfiles,
    opener: button(`Recordings of ${profile.name}`),
  },
  {
    name: 'Rename a profile',
    source: 'speakers/edit-profile.tsx',
    path: '/speakers?tab=profiles',
    world: showProfiles,
    opener: button(`Rename or merge ${profile.name}`),
    ...text('Name', 'Grace Hopper'),
    isStored: false,
    request: request({
      submit: 'Save',
      route: 'PUT /api/speaker-profiles/{uuid}',
      sends: { name: 'Grace Hopper' },
      response: { ...profile, name: 'Grace Hopper' },
    }),
  },
  {
    name: 'Move a profile to a group',
    source: 'speakers/move-profile.tsx',
    path: '/speakers?tab=profiles',
    world: showProfiles,
    opener: button(`Move ${profile.name} to a group`),
    request: request({
      submit: 'Move to the group',
      route: 'PUT /api/speaker-profiles/{uuid}',
      sends: { group_uuid: group.uuid },
      response: { ...profile, group_uuid: group.uuid },
    }),
  },
  {
    name: 'Split a profile',
    source: 'speakers/split-profile.tsx',
    path: '/speakers?tab=profiles',
    world: showProfiles,
    opener: button(`Split ${profile.name}`),
    fill: async (dialog) => {
      await dialog.getByRole('checkbox').first().check();
      // The list of its suggestions is empty: Escape belongs to the dialog.
      await dialog.getByLabel('Name of the other person', { exact: true }).fill('Ken');
    },
    field: { label: 'Name of the other person', text: 'Ken' },
    isStored: false,
    request: request({
      submit: 'Split',
      route: 'POST /api/speaker-profiles/{uuid}/split',
      sends: { name: 'Ken', speaker_uuids: [voice.speaker_uuid] },
      response: { ...profile, name: 'Ken' },
    }),
  },
  {
    name: 'Delete a profile',
    source: 'speakers/delete-profile.tsx',
    path: '/speakers?tab=profiles',
    world: showProfiles,
    opener: button(`Delete ${profile.name}`),
    request: request({ submit: 'Delete the profile', route: 'DELETE /api/speaker-profiles/{uuid}' }),
  },
  {
    name: 'Delete a conversation',
    source: 'ask/conversation-actions.tsx',
    path: `/ask?conversation=${conversation.uuid}`,
    world: showConversation,
    ...menuItem('Actions for the conversation', 'Delete'),
    request: request({ submit: 'Delete', route: 'DELETE /api/ask/conversations/{uuid}' }),
  },
  {
    name: 'Share an export template',
    source: 'exports/templates-page.tsx',
    path: '/export-templates',
    world: showTemplates,
    ...menuItem('Actions for Court', 'Share'),
  },
  {
    name: 'Share a conversation',
    source: 'ask/conversation-actions.tsx',
    path: `/ask?conversation=${conversation.uuid}`,
    world: showConversation,
    ...menuItem('Actions for the conversation', 'Share'),
  },
  {
    name: 'Sign out everywhere',
    source: 'account/account-page.tsx',
    path: '/account',
    opener: button('Sign out everywhere'),
    cancel: 'Cancel',
  },
  {
    name: 'Upload',
    source: 'uploads/upload-dialog.tsx',
    path: '/',
    world: (api) => showLimit(api, 1024),
    opener: button('Upload'),
    open: chooseRecording,
    cancel: 'Cancel',
  },
  {
    name: 'Upload of a recording that is too large',
    source: 'uploads/upload-dialog.tsx',
    path: '/',
    world: (api) => showLimit(api, 1),
    opener: button('Upload'),
    open: chooseRecording,
    cancel: 'Cancel',
  },
  {
    name: 'Export a transcript',
    source: 'exports/export-dialog.tsx',
    path: `/files/${transcribed.uuid}`,
    world: showTranscript,
    opener: button('Export'),
    cancel: 'Cancel',
  },
  {
    name: 'Keyboard shortcuts',
    source: 'file/shortcuts-dialog.tsx',
    path: `/files/${transcribed.uuid}`,
    world: showTranscript,
    opener: button('Keyboard shortcuts'),
  },
  {
    name: 'Speaker of a passage',
    source: 'file/editor/speaker-dialog.tsx',
    path: transcriptPath,
    world: (api) => storeTranscript(['Good morning everybody']).serve(api),
    opener: (page) => page.getByRole('textbox', { name: 'Transcript' }),
    open: async (page) => {
      await page.getByTestId('save-state').waitFor();
      await page.locator('[data-seg="0"] p').click();
      await page.keyboard.press('Alt+s');
    },
  },
  {
    name: 'Create a summary',
    source: 'file/summary/summary-dialog.tsx',
    path: `/files/${transcribed.uuid}`,
    world: showTranscript,
    opener: button('Create summary'),
    request: request({
      submit: 'Create summary',
      route: 'POST /api/files/{uuid}/summarize',
      sends: { force_regenerate: true },
      response: example('POST /api/files/{uuid}/summarize'),
    }),
  },
  {
    name: 'Delete a version of a summary',
    source: 'file/summary/summary-tools.tsx',
    path: `/files/${transcribed.uuid}`,
    world: showSummary,
    ...menuItem('Actions for the summary', 'Delete this version'),
    request: request({ submit: 'Delete the summary', route: 'DELETE /api/files/{uuid}/summary' }),
  },
];
