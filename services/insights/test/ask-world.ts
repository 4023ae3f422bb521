import { randomUUID } from 'node:crypto';
import {
  collectionNamesRpc,
  collectionRpc,
  identityRpc,
  mediaInsightsRpc,
  retrievalRpc,
  roleAtLeast,
  type AskEvent,
  type AskMessage,
  type ConversationObject,
  type RequestOf,
  type RpcDef,
} from '@overtone/contracts';
import { assertionHeader } from '@overtone/service-kit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer, type ModelCall } from '@overtone/testkit/language-model';
import { contentWordsOf, sharedWords } from '../src/ask/content-words.ts';
import { newUser, startWorld, type TestUser } from './world.ts';

export type LibraryFile = {
  fileId: string;
  ownerId: string;
  title: string;
  readers: Set<string>;
  isBinned: boolean;
  isWithheld: boolean;
  masks: string[];
  lines: { uuid: string; start: number; end: number; text: string; speaker: string | null }[];
};
type Reader = { userId: string; role: TestUser['role'] };
type Collection = { name: string; ownerId: string; fileIds: string[] };

const declined = 'NOT_IN_RECORDINGS';

/** Files as media and search serve them, with the rights of readers. */
function createLibrary() {
  const files = new Map<string, LibraryFile>();
  const collections = new Map<string, Collection>();
  const canRead = ({ userId, role }: Reader, file: LibraryFile): boolean =>
    !file.isBinned && (file.ownerId === userId || file.readers.has(userId) || roleAtLeast(role, 'admin'));
  return {
    files,
    collections,
    canRead,
    readable: (reader: Reader, fileIds: readonly string[] | null): LibraryFile[] =>
      [...files.values()].filter(
        (file) => canRead(reader, file) && (fileIds === null || fileIds.includes(file.fileId)),
      ),
    add: (owner: TestUser, title: string, ...lines: string[]): LibraryFile => {
      const file: LibraryFile = {
        fileId: randomUUID(),
        ownerId: owner.userId,
        title,
        readers: new Set(),
        isBinned: false,
        isWithheld: false,
        masks: [],
        lines: lines.map((line, i) => {
          const [, speaker = null, text = line] = /^(\w+): (.*)$/s.exec(line) ?? [];
          return { uuid: randomUUID(), start: i * 10, end: i * 10 + 8, speaker, text };
        }),
      };
      files.set(file.fileId, file);
      return file;
    },
  };
}
type Library = ReturnType<typeof createLibrary>;

/** Ranks by shared words; decides as search-indexer does whether the library says it. */
function retrieve(library: Library, request: RequestOf<typeof retrievalRpc.retrieve>, evidence: string | null) {
  const wanted = contentWordsOf(request.question);
  const files = library.readable(request.reader, request.fileIds).map((file) => ({
    fileId: file.fileId,
    title: file.title,
    score: 1,
    passages: file.lines
      .map(({ start, end, text, speaker }) => ({
        start,
        end,
        text,
        speaker,
        score: sharedWords(wanted, contentWordsOf(text)) / Math.max(1, wanted.size),
      }))
      .toSorted((x, y) => y.score - x.score)
      .slice(0, request.passagesPerFile),
  }));
  const ranked = files.toSorted((x, y) => (y.passages[0]?.score ?? 0) - (x.passages[0]?.score ?? 0));
  const best = ranked[0]?.passages[0]?.score ?? 0;
  return {
    legs: { keyword: 'ok', semantic: 'ok' },
    evidence: evidence ?? (wanted.size === 0 ? 'general' : best > 0 ? 'answer' : 'none'),
    files: ranked.slice(0, request.maxFiles),
  };
}

function countMentions(library: Library, request: RequestOf<typeof retrievalRpc.countMentions>) {
  const counted = library.readable(request.reader, request.fileIds).flatMap(({ fileId, title, lines }) => {
    const text = lines.map((line) => line.text.toLowerCase()).join(' ');
    const count = text.split(request.phrase.toLowerCase()).length - 1;
    const first = lines.find((line) => line.text.toLowerCase().includes(request.phrase.toLowerCase()));
    return count > 0 ? [{ fileId, title, count, start: first?.start ?? 0 }] : [];
  });
  return { files: counted.toSorted((x, y) => y.count - x.count).slice(0, 200), totalFiles: counted.length };
}

type Broken = { search: boolean; media: boolean; evidence: 'answer' | null; keywordLeg: boolean };

/** The service with a library, and a scripted language model that answers only from what it was given. */
export async function startAskWorld() {
  const world = await startWorld();
  const library = createLibrary();
  const groups = new Map<string, string[]>();
  const broken: Broken = { search: false, media: false, evidence: null, keywordLeg: false };
  const requests: string[] = [];
  const serve = <R extends RpcDef>(def: R, answer: (request: RequestOf<R>) => unknown): void => {
    world.nats.subscribe(def.subject, {
      callback: (_, message) => {
        requests.push(def.subject);
        const fails = def.service === 'search-indexer' ? broken.search : def.service === 'media' && broken.media;
        const code = def.service === 'media' ? 'database_unavailable' : 'search_unavailable';
        const reply = fails
          ? { error: { kind: 'unavailable', code, message: 'It is down.' } }
          : { ok: answer(message.json<RequestOf<R>>()) };
        message.respond(JSON.stringify(reply));
      },
    });
  };
  serve(retrievalRpc.retrieve, (request) => {
    const found = retrieve(library, request, broken.evidence);
    return broken.keywordLeg ? { ...found, legs: { keyword: 'unavailable', semantic: 'ok' } } : found;
  });
  serve(retrievalRpc.countMentions, (request) => countMentions(library, request));
  serve(mediaInsightsRpc.access, ({ fileIds, reader }) => ({
    files: library.readable(reader, fileIds).map(({ fileId, ownerId, title, masks }) => ({
      fileId,
      ownerId,
      title,
      permission: ownerId === reader.userId ? 'owner' : 'viewer',
      masks,
    })),
  }));
  serve(mediaInsightsRpc.transcript, ({ fileId, offset, limit }) =>
    transcriptOf(library.files.get(fileId), offset, limit),
  );
  serve(collectionRpc.filesOf, ({ collectionId, reader }) => {
    const collection = library.collections.get(collectionId);
    const isReadable = collection?.ownerId === reader.userId;
    return { fileIds: isReadable ? library.readable(reader, collection.fileIds).map(({ fileId }) => fileId) : null };
  });
  serve(collectionNamesRpc.names, ({ collectionIds, reader }) => ({
    collections: collectionIds.flatMap((collectionId) => {
      const collection = library.collections.get(collectionId);
      return collection?.ownerId === reader.userId ? [{ collectionId, name: collection.name }] : [];
    }),
  }));
  serve(identityRpc.readerGroups, ({ userId }) => ({ groupIds: groups.get(userId) ?? [] }));
  const model = await stopAfterFile(startLanguageModelServer({ contextTokens: 8_192, answer: answerFromExcerpts }));
  return { ...world, ...createClient(world), library, groups, broken, requests, model, useModel };

  /** Configures the scripted model for everyone, or no model. */
  async function useModel(isUsed: boolean): Promise<void> {
    await world.sql('delete from llm_provider');
    if (!isUsed) return;
    const { status, body } = await world.call(newUser('super_admin'), 'POST', '/api/admin/llm-settings', {
      name: 'Scripted',
      kind: 'openai-compatible',
      base_url: model.urls.openai,
      model: 'scripted-model',
      context_tokens: null,
      max_parallel: 8,
      timeout_seconds: 3_600,
      api_key: null,
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
}

function transcriptOf(file: LibraryFile | undefined, offset: number, limit: number) {
  if (!file || file.isBinned) return { file: null, segments: [], total: 0, withheld: false };
  const segments = file.lines.map(({ speaker, ...line }) => ({
    ...line,
    speakerUuid: null,
    speakerLabel: null,
    speakerName: speaker,
    named: speaker !== null,
  }));
  return {
    file: {
      fileId: file.fileId,
      ownerId: file.ownerId,
      title: file.title,
      contentType: 'audio/wav',
      language: 'en',
      duration: 60,
      uploadTime: new Date(0).toISOString(),
      transcriptVersion: 1,
      tags: [],
      masks: file.masks,
    },
    segments: file.isWithheld ? [] : segments.slice(offset, offset + limit),
    total: file.isWithheld ? 0 : segments.length,
    withheld: file.isWithheld,
  };
}

/** The sentence of the excerpts that shares most words with the question, at least two; otherwise that it was not found. */
export function answerFromExcerpts({ prompt }: Pick<ModelCall, 'prompt'>): string {
  const question = prompt.slice(prompt.lastIndexOf('Question: ') + 'Question: '.length);
  const wanted = contentWordsOf(question);
  const lines = [...prompt.matchAll(/^(?:\w+|Speaker \d+): (.+)$/gm)].map(([, text = '']) => text);
  const ranked = lines
    .filter((line) => !question.includes(line))
    .map((line) => ({ line, shared: sharedWords(wanted, contentWordsOf(line)) }))
    .toSorted((x, y) => y.shared - x.shared);
  const [best] = ranked;
  return best && best.shared >= 2 ? best.line : declined;
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** Requests of people about conversations. `base`: of another replica. */
function createClient({ base: firstBase, sign, call }: World) {
  const stream = async (person: TestUser, path: string, body: object, base: string) => {
    const caller = { ...person, sessionId: randomUUID(), tokenExpiresAt: Date.now() + 3_600_000 };
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { [assertionHeader]: sign('insights', caller), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text().catch(() => '');
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const events = isStream ? eventsOf(text) : [];
    const last = events.at(-1);
    const problem = isStream || text === '' ? null : (JSON.parse(text) as { code: string });
    return { status: response.status, problem, events, message: last?.event === 'message' ? last.data : null };
  };
  return {
    begin: async (person: TestUser, scope: object = {}): Promise<ConversationObject> => {
      const { status, body } = await call<ConversationObject>(person, 'POST', '/api/ask/conversations', scope);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    read: (person: TestUser, id: string) => call<ConversationObject>(person, 'GET', `/api/ask/conversations/${id}`),
    ask: (person: TestUser, id: string, question: string, more: { base?: string; without_model?: boolean } = {}) => {
      const { base = firstBase, ...options } = more;
      return stream(person, `/api/ask/conversations/${id}/messages`, { question, ...options }, base);
    },
    retry: (person: TestUser, id: string, messageId: string, base = firstBase) =>
      stream(person, `/api/ask/conversations/${id}/messages/${messageId}/retry`, {}, base),
  };
}

function eventsOf(text: string): AskEvent[] {
  return [...text.matchAll(/^event: (\w+)\ndata: (.+)$/gm)].map(
    ([, event, data = '']) => ({ event, data: JSON.parse(data) as unknown }) as AskEvent,
  );
}

export function textOf(message: AskMessage | null | undefined): string {
  return (message?.sentences ?? []).map(({ text }) => text).join(' ');
}
