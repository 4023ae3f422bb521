import { randomUUID } from 'node:crypto';
import {
  labelRpc,
  mediaInsightsRpc,
  type InsightSegment,
  type Label,
  type LabelActor,
  type LabelOutcome,
  type ReplyOf,
  type RequestOf,
  type RpcDef,
} from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';
import { isAppError, notFound } from '@overtone/service-kit';
import type { NatsConnection } from 'nats';

type FakeSpeaker = { uuid: string; label: string; name: string | null };
export type FakeFile = {
  fileId: string;
  ownerId: string;
  version: number;
  language: string;
  withheld: boolean;
  masksNames: boolean;
  masks: string[];
  knownNames: string[];
  /** The text of each passage and the number of its speaker. */
  spoken: [speaker: number, text: string][];
  speakers: FakeSpeaker[];
  tags: string[];
  ownerTags: string[];
  removed: string[];
  collections: { name: string; contains: boolean; isShared: boolean }[];
  /** Permissions of people besides the owner. */
  readers: Map<string, 'editor' | 'viewer'>;
};

/** Media's RPCs, with files in memory. */
export function createFakeMedia(nats: NatsConnection) {
  const bus = { serve: serverOf(nats) };
  const files = new Map<string, FakeFile>();
  const applied: { actor: LabelActor; labels: Label[] }[] = [];
  /** Thrown by the next request that applies labels. */
  let failure: Error | null = null;
  const find = (fileId: string): FakeFile => {
    const file = files.get(fileId);
    if (!file) throw notFound('There is no such file.');
    return file;
  };
  bus.serve(labelRpc.labelAccess, async ({ fileIds, reader }) => ({
    files: fileIds.flatMap((fileId) => {
      const file = files.get(fileId);
      const isOwner = file?.ownerId === reader.userId || reader.role !== 'user';
      const permission = isOwner ? ('owner' as const) : file?.readers.get(reader.userId);
      const { ownerId, version: transcriptVersion = 0, masks = [] } = file ?? {};
      return ownerId && permission ? [{ fileId, ownerId, permission, transcriptVersion, masks }] : [];
    }),
  }));
  bus.serve(labelRpc.labelContext, async ({ fileId }) => {
    const file = files.get(fileId);
    if (!file) return { context: null };
    const { ownerId, version, ownerTags, tags, collections, speakers, knownNames, masksNames } = file;
    return {
      context: {
        ownerId,
        transcriptVersion: version,
        ownerTags,
        fileTags: tags,
        collections,
        speakers,
        knownNames,
        masksNames,
      },
    };
  });
  bus.serve(labelRpc.applyLabels, async ({ fileId, actor, labels }) => {
    if (failure) {
      const error = failure;
      failure = null;
      throw error;
    }
    const file = find(fileId);
    applied.push({ actor, labels });
    return { outcomes: labels.map((label) => ({ ...label, outcome: applyOne(file, actor, label) })) };
  });
  bus.serve(labelRpc.removeLabels, async ({ fileId, labels }) => {
    const file = find(fileId);
    for (const { kind, name } of labels) {
      if (kind === 'tag') {
        file.tags = file.tags.filter((tag) => tag !== name);
        file.removed.push(name);
      } else for (const collection of file.collections) if (collection.name === name) collection.contains = false;
    }
    return { outcomes: labels.map((label) => ({ ...label, outcome: 'changed' as const })) };
  });
  bus.serve(labelRpc.nameSpeakers, async ({ fileId, changes }) => {
    const changed: string[] = [];
    for (const { speakerUuid, from, to } of changes) {
      const speaker = find(fileId).speakers.find(({ uuid }) => uuid === speakerUuid);
      if (speaker?.name !== from) continue;
      speaker.name = to;
      changed.push(speakerUuid);
    }
    return { changed };
  });
  bus.serve(labelRpc.listOwned, async ({ ownerId, after, limit }) => ({
    fileIds: [...files.values()]
      .filter((file) => file.ownerId === ownerId && file.version > 0 && file.fileId > (after ?? ''))
      .map(({ fileId }) => fileId)
      .sort()
      .slice(0, limit),
  }));
  bus.serve(mediaInsightsRpc.transcript, async ({ fileId, offset, limit }) => {
    const file = files.get(fileId);
    if (!file) return { file: null, segments: [], total: 0, withheld: false };
    const segments = file.withheld ? [] : segmentsOf(file);
    return {
      file: toInsightFile(file),
      segments: segments.slice(offset, offset + limit),
      total: segments.length,
      withheld: file.withheld,
    };
  });
  return {
    files,
    applied,
    failNextApply: (error: Error): void => void (failure = error),
    add: (ownerId: string, more: Partial<FakeFile> = {}): FakeFile => {
      const file: FakeFile = {
        fileId: randomUUID(),
        ownerId,
        version: 1,
        language: 'en',
        withheld: false,
        masksNames: false,
        masks: [],
        knownNames: [],
        spoken: [],
        speakers: [1, 2].map((number) => ({ uuid: randomUUID(), label: `SPEAKER_0${number}`, name: null })),
        tags: [],
        ownerTags: [],
        removed: [],
        collections: [],
        readers: new Map(),
        ...more,
      };
      files.set(file.fileId, file);
      return file;
    },
  };
}

function applyOne(file: FakeFile, actor: LabelActor, { kind, name }: Label): LabelOutcome['outcome'] {
  if (kind === 'tag') {
    if (actor === null && file.removed.includes(name)) return 'removed_before';
    if (file.tags.includes(name)) return 'present';
    file.tags.push(name);
    return 'changed';
  }
  const collection = file.collections.find((entry) => entry.name === name);
  if (!collection) return 'missing';
  if (actor === null && collection.isShared) return 'not_private';
  if (collection.contains) return 'present';
  collection.contains = true;
  return 'changed';
}

function segmentsOf({ fileId, spoken, speakers }: FakeFile): InsightSegment[] {
  return spoken.map(([number, text], i) => {
    const speaker = speakers[number - 1];
    return {
      // The id of a passage stays the same when it is read again.
      uuid: `${fileId.slice(0, 24)}${String(i).padStart(12, '0')}`,
      start: i * 5,
      end: i * 5 + 4,
      text,
      speakerUuid: speaker?.uuid ?? null,
      speakerLabel: speaker?.label ?? null,
      speakerName: speaker ? speakerName({ name: speaker.label, display_name: speaker.name }) : null,
      named: speaker !== undefined && speaker.name !== null,
    };
  });
}

function toInsightFile({ fileId, ownerId, language, version, tags, masks }: FakeFile) {
  return {
    fileId,
    ownerId,
    title: 'Meeting',
    contentType: 'audio/wav',
    language,
    duration: 600,
    uploadTime: '2026-01-01T00:00:00.000Z',
    transcriptVersion: version,
    tags,
    masks,
  };
}

/** Serves an RPC as a service does. */
function serverOf(nats: NatsConnection) {
  return <R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>): void => {
    nats.subscribe(def.subject, {
      callback: (_, message) => {
        handler(message.json<RequestOf<R>>()).then(
          (ok) => message.respond(JSON.stringify({ ok })),
          (error: unknown) => {
            const { kind, code, message: text } = isAppError(error) ? error : notFound();
            message.respond(JSON.stringify({ error: { kind, code, message: text } }));
          },
        );
      },
    });
  };
}
