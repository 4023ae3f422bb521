import { createHmac, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SyncRunReport } from '@overtone/contracts';
import type { Instance } from '../instance.ts';
import { openAsService, settingOf, type Ask } from '../service-access.ts';
import type { CallerRole } from './outcomes.ts';

/** The relation of the caller to the resource of a route; `none`: the route has no owned resource. */
export type Relation = 'none' | 'own' | 'viewer' | 'editor' | 'manager' | 'member' | 'other' | 'above';
export type Person = { id: string; session: string; token: string };
/** Ids of all resources of one owner. */
export type FixtureIds = Record<
  | 'owner'
  | 'bystander'
  | 'session'
  | 'file'
  | 'binned'
  | 'change'
  | 'segment'
  | 'speaker'
  | 'otherSpeaker'
  | 'share'
  | 'collection'
  | 'collectionShare'
  | 'codeList'
  | 'codeListShare'
  | 'code'
  | 'exportTemplate'
  | 'exportTemplateShare'
  | 'upload'
  | 'group'
  | 'mapping'
  | 'pass'
  | 'task'
  | 'prompt'
  | 'savedSearch'
  | 'conversation'
  | 'conversationShare'
  | 'question'
  | 'summary',
  string
>;

const lifetime = 3600;

/** Creates accounts and resources for every case directly in the databases of the services. */
export async function createFixtures(instance: Instance) {
  const open = (service: string): Promise<{ ask: Ask; close: () => Promise<void> }> => openAsService(instance, service);
  const [identity, media, dispatcher, sync, insights, search] = await Promise.all(
    ['identity', 'media', 'transcription-dispatcher', 'directory-sync', 'insights', 'search-indexer'].map(open),
  );
  if (!identity || !media || !dispatcher || !sync || !insights || !search) throw new Error('a service is missing');
  const secret = await settingOf(instance, 'identity', 'JWT_SECRET_KEY');
  const objects = join(await settingOf(instance, 'media', 'OBJECT_STORE_DIR'), 'objects');

  const person = async (role: Exclude<CallerRole, 'none'>): Promise<Person> => {
    const [id, session, now] = [randomUUID(), randomUUID(), Math.floor(Date.now() / 1000)];
    await identity.ask(
      `insert into "user" (uuid, email, full_name, role, password_hash) values ($1, $2, 'Matrix Person', $3, 'none')`,
      [id, `matrix-${id}@example.org`, role],
    );
    await identity.ask(
      `insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
       values ($1, $2, $3, now() + interval '1 hour', now() + interval '1 hour')`,
      [session, id, randomUUID()],
    );
    const claims = { sub: id, sid: session, role, type: 'access', jti: randomUUID(), iat: now, exp: now + lifetime };
    const unsigned = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
    return { id, session, token: `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}` };
  };

  const file = async (
    owner: string,
    fixture: Pick<FixtureIds, 'file' | 'segment' | 'speaker' | 'otherSpeaker'>,
    content: Buffer = Buffer.from('not really a recording'),
  ): Promise<void> => {
    const key = `files/${fixture.file}/original`;
    await mkdir(dirname(join(objects, key)), { recursive: true });
    await writeFile(join(objects, key), content);
    await media.ask(
      `insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size, status)
       values ($1, $2, 'matrix.wav', 'Matrix', $3, 'audio/wav', $4, 'completed')`,
      [fixture.file, owner, key, content.length],
    );
    await media.ask(`insert into speaker (uuid, media_file_id, name) values ($1, $3, 'One'), ($2, $3, 'Two')`, [
      fixture.speaker,
      fixture.otherSpeaker,
      fixture.file,
    ]);
    await media.ask(
      `insert into transcript_segment (uuid, media_file_id, speaker_id, position, start_time, end_time, text)
       values ($1, $2, $3, 0, 0, 1, 'matrix')`,
      [fixture.segment, fixture.file, fixture.speaker],
    );
    const tag = randomUUID();
    await media.ask(`insert into tag (uuid, user_id, name, normalized_name) values ($1, $2, 'matrix', 'matrix')`, [
      tag,
      owner,
    ]);
    await media.ask('insert into file_tag (media_file_id, tag_id) values ($1, $2)', [fixture.file, tag]);
    await dispatcher.ask(
      `insert into run (uuid, file_id, owner_id, status, object_key, content_type, options, opened_by, ordered_at)
       values ($1, $2, $3, 'completed', $4, 'audio/wav', '{}', $5, now())`,
      [randomUUID(), fixture.file, owner, key, randomUUID()],
    );
  };

  const sharedWith = (ids: FixtureIds, caller: string, permission: string) =>
    media.ask(
      'insert into file_share (uuid, media_file_id, user_id, permission, shared_by) values ($1, $2, $3, $4, $5)',
      [ids.share, ids.file, caller, permission, ids.owner],
    );

  const sharedCollection = async (ids: FixtureIds, caller: string, permission: string) => {
    await media.ask('insert into collection (uuid, user_id, name) values ($1::uuid, $2, $1::text)', [
      ids.collection,
      ids.owner,
    ]);
    await media.ask(
      `insert into collection_share (uuid, collection_id, user_id, permission, shared_by) values ($1, $2, $3, $4, $5)`,
      [ids.collectionShare, ids.collection, caller, permission, ids.owner],
    );
  };

  const sharedCodeList = async (ids: FixtureIds, caller: string, permission: string) => {
    await media.ask('insert into code_list (uuid, user_id, name) values ($1::uuid, $2, $1::text)', [
      ids.codeList,
      ids.owner,
    ]);
    await media.ask(`insert into code (uuid, code_list_id, name, color) values ($1::uuid, $2, $1::text, 'red')`, [
      ids.code,
      ids.codeList,
    ]);
    await media.ask(
      `insert into code_list_share (uuid, code_list_id, user_id, permission, shared_by) values ($1, $2, $3, $4, $5)`,
      [ids.codeListShare, ids.codeList, caller, permission, ids.owner],
    );
  };

  const sharedTemplate = async (ids: FixtureIds, caller: string, permission: string) => {
    await media.ask(
      `insert into export_template (uuid, user_id, name, format, options) values ($1::uuid, $2, $1::text, 'docx', '{}')`,
      [ids.exportTemplate, ids.owner],
    );
    await media.ask(
      `insert into export_template_share (uuid, template_id, user_id, permission, shared_by) values ($1, $2, $3, $4, $5)`,
      [ids.exportTemplateShare, ids.exportTemplate, caller, permission, ids.owner],
    );
  };

  const group = async (ids: FixtureIds, member?: { id: string; role: string }) => {
    await identity.ask('insert into user_group (uuid, name) values ($1::uuid, $1::text)', [ids.group]);
    for (const one of [{ id: ids.owner, role: 'manager' }, ...(member && member.id !== ids.owner ? [member] : [])])
      await identity.ask('insert into user_group_member (group_id, user_id, role) values ($1, $2, $3)', [
        ids.group,
        one.id,
        one.role,
      ]);
  };

  const binnedFile = (ids: FixtureIds) =>
    media.ask(
      `insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size, status, deleted_at, deleted_by)
       values ($1, $2, 'binned.wav', 'Binned', $3, 'audio/wav', 1, 'completed', now(), $2)`,
      [ids.binned, ids.owner, `files/${ids.binned}/original`],
    );

  /** A transcript change that is already undone, so that another undo has no effect. */
  const undoneChange = (ids: FixtureIds) =>
    media.ask(
      `insert into transcript_change (uuid, media_file_id, user_id, kind, before, undone_at)
       values ($1, $2, $3, 'segment_edited', '{}', now())`,
      [ids.change, ids.file, ids.owner],
    );

  const deadTask = (ids: FixtureIds) =>
    dispatcher.ask(
      `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, status, max_failures, backoff_ms, completed_at)
       values ($1, $2, $3, 'index', 'job.embedding.search.index', 'embedding', '{}', 'failed', 1, 1, now())`,
      [ids.task, ids.file, ids.owner],
    );

  const prompt = (ids: FixtureIds) =>
    insights.ask(
      `insert into insight_prompt (uuid, user_id, name, text, content_type) values ($1, $2, 'M', 'm', 'general')`,
      [ids.prompt, ids.owner],
    );

  const savedSearch = (ids: FixtureIds) =>
    search.ask(`insert into saved_search (uuid, user_id, name, search) values ($1, $2, 'Saved', '{"q": "matrix"}')`, [
      ids.savedSearch,
      ids.owner,
    ]);

  /** A shared conversation with a question that was not answered. */
  const conversation = async (ids: FixtureIds, reader: string) => {
    await insights.ask(`insert into conversation (uuid, user_id, title, scope) values ($1, $2, 'M', 'library')`, [
      ids.conversation,
      ids.owner,
    ]);
    await insights.ask(
      `insert into conversation_share (uuid, conversation_id, user_id, shared_by) values ($1, $2, $3, $4)`,
      [ids.conversationShare, ids.conversation, reader, ids.owner],
    );
    await insights.ask(
      `insert into conversation_message (uuid, conversation_id, position, asked_by, question, status, attempted_at)
       values ($1, $2, 1, $3, 'matrix', 'failed', now() - interval '1 hour')`,
      [ids.question, ids.conversation, ids.owner],
    );
  };

  const summary = (ids: FixtureIds) =>
    insights.ask(
      `insert into insight_summary (uuid, media_file_id, owner_id, version, state, content, finished_at)
       values ($1, $2, $3, 1, 'partial',
         '{"brief": [], "key_decisions": [], "action_items": [], "topics": [], "follow_ups": []}', now())`,
      [ids.summary, ids.file, ids.owner],
    );

  const pass = async (id: string) => {
    const report: SyncRunReport = {
      pass_uuid: id,
      status: 'disabled',
      error: null,
      dry_run: true,
      trigger: 'manual',
      checked: 0,
      seen: 0,
      candidates: 0,
      disabled: 0,
      undone: 0,
      would_disable: 0,
      deferred: 0,
      capped: false,
      max_disables_per_run: 10,
      actions: [],
      reconciled: 0,
      reconciliations: [],
      eligible_for_reactivation: [],
      ldap_requests: 0,
      proof: [],
      set_digest: null,
      approved_at: null,
      started_at: new Date().toISOString(),
      finished_at: new Date().toISOString(),
      duration_s: 0,
    };
    await sync.ask(
      `insert into directory_pass (uuid, trigger, dry_run, status, report, finished_at)
       values ($1, 'manual', true, 'disabled', $2, now())`,
      [id, JSON.stringify(report)],
    );
  };

  const upload = async (token: string): Promise<string> => {
    const response = await fetch(`${instance.baseUrl}/api/files/tus`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '100',
        'upload-metadata': `filename ${Buffer.from('matrix.wav').toString('base64')}`,
      },
    });
    return response.headers.get('location')?.split('/').at(-1) ?? '';
  };

  return {
    person,
    /** Creates a recording of a user. @returns its id. */
    recording: async (owner: string, content: Buffer): Promise<string> => {
      const id = randomUUID();
      await file(
        owner,
        { file: id, segment: randomUUID(), speaker: randomUUID(), otherSpeaker: randomUUID() },
        content,
      );
      return id;
    },
    /** Creates the resources for one case; `needs` selects those that its route uses. */
    things: async (
      relation: Relation,
      caller: Person | null,
      needs: (what: string) => boolean,
    ): Promise<FixtureIds> => {
      const stranger =
        relation === 'own' && caller ? caller : await person(relation === 'above' ? 'super_admin' : 'user');
      const names = [
        'file',
        'binned',
        'change',
        'segment',
        'speaker',
        'otherSpeaker',
        'share',
        'collection',
        'collectionShare',
        'codeList',
        'codeListShare',
        'code',
        'exportTemplate',
        'exportTemplateShare',
        'group',
        'mapping',
        'pass',
        'task',
        'prompt',
        'savedSearch',
        'conversation',
        'conversationShare',
        'question',
        'summary',
      ] as const;
      const ids = Object.fromEntries(names.map((name) => [name, randomUUID()])) as Omit<FixtureIds, 'owner'>;
      const bystander = needs('bystander') ? (await person('user')).id : randomUUID();
      const fixture: FixtureIds = { ...ids, owner: stranger.id, bystander, session: stranger.session, upload: '' };
      if (needs('file')) await file(fixture.owner, fixture);
      if (needs('file') && caller && (relation === 'viewer' || relation === 'editor'))
        await sharedWith(fixture, caller.id, relation);
      else if (needs('share')) await sharedWith(fixture, bystander, 'viewer');
      if (needs('collection')) {
        const isShared = caller && (relation === 'viewer' || relation === 'editor');
        await sharedCollection(fixture, isShared ? caller.id : bystander, isShared ? relation : 'viewer');
      }
      if (needs('codeList')) {
        const isShared = caller && (relation === 'viewer' || relation === 'editor');
        await sharedCodeList(fixture, isShared ? caller.id : bystander, isShared ? relation : 'viewer');
      }
      if (needs('exportTemplate')) {
        const isShared = caller && (relation === 'viewer' || relation === 'editor');
        await sharedTemplate(fixture, isShared ? caller.id : bystander, isShared ? relation : 'viewer');
      }
      if (needs('binned')) await binnedFile(fixture);
      if (needs('change')) await undoneChange(fixture);
      if (needs('upload')) fixture.upload = await upload(stranger.token);
      const role = relation === 'manager' ? 'manager' : 'member';
      const joins = caller && (relation === 'manager' || relation === 'member');
      if (needs('group')) await group(fixture, joins ? { id: caller.id, role } : undefined);
      if (needs('mapping'))
        await identity.ask(
          `insert into group_mapping (uuid, source, claim_value, grants_role) values ($1::uuid, 'oidc', $1::text, 'user')`,
          [fixture.mapping],
        );
      if (needs('pass')) await pass(fixture.pass);
      if (needs('task')) await deadTask(fixture);
      if (needs('prompt')) await prompt(fixture);
      if (needs('savedSearch')) await savedSearch(fixture);
      if (needs('conversation')) await conversation(fixture, caller && relation === 'viewer' ? caller.id : bystander);
      if (needs('summary')) await summary(fixture);
      return fixture;
    },
    close: async () => {
      await Promise.all([identity, media, dispatcher, sync, insights, search].map((fixture) => fixture.close()));
    },
  };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
