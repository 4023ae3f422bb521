import { randomUUID } from 'node:crypto';
import {
  mediaInsightsRpc,
  type InsightSegment,
  type ReadableFile,
  type ReplyOf,
  type RequestOf,
  type Role,
  type RpcDef,
} from '@overtone/contracts';
import type { NatsConnection } from 'nats';
import { newUser, type TestUser } from './world.ts';

export type Recording = {
  fileId: string;
  owner: TestUser;
  title: string;
  tags: string[];
  language: string | null;
  transcriptVersion: number;
  segments: InsightSegment[];
  withheld: boolean;
  masks: string[];
  inBin: boolean;
  readers: Map<string, ReadableFile['permission']>;
};

/** Speech of several people; each passage has a number of its own. */
export function speech(passages: number, textOf = (i: number) => `passage number ${i} of the talk`): InsightSegment[] {
  return Array.from({ length: passages }, (_, i) => {
    const speaker = Math.floor(i / 3) % 4;
    return {
      uuid: randomUUID(),
      start: i * 5,
      end: i * 5 + 4,
      text: textOf(i),
      speakerUuid: `00000000-0000-4000-8000-00000000000${speaker}`,
      speakerLabel: `SPEAKER_0${speaker + 1}`,
      speakerName: `Speaker ${speaker + 1}`,
      named: false,
    };
  });
}

/** Fakes media: recordings with transcripts, and who may see them. */
export function serveRecordings(nats: NatsConnection) {
  const recordings = new Map<string, Recording>();
  const serve = <R extends RpcDef>(rpc: R, reply: (request: RequestOf<R>) => ReplyOf<R>): void => {
    nats.subscribe(rpc.subject, {
      callback: (_, message) => void message.respond(JSON.stringify({ ok: reply(message.json<RequestOf<R>>()) })),
    });
  };
  serve(mediaInsightsRpc.transcript, ({ fileId, offset, limit }) => {
    const recording = recordings.get(fileId);
    if (!recording || recording.inBin) return { file: null, segments: [], total: 0, withheld: false };
    const { owner, title, tags, language, transcriptVersion, segments, withheld, masks } = recording;
    const file = {
      fileId,
      ownerId: owner.userId,
      title,
      contentType: 'audio/wav',
      language,
      duration: segments.at(-1)?.end ?? 0,
      uploadTime: '2026-01-01T00:00:00Z',
      transcriptVersion,
      tags,
      masks,
    };
    if (withheld) return { file, segments: [], total: 0, withheld };
    return { file, segments: segments.slice(offset, offset + limit), total: segments.length, withheld };
  });
  serve(mediaInsightsRpc.access, ({ fileIds, reader }) => ({
    files: fileIds.flatMap((fileId) => {
      const recording = recordings.get(fileId);
      const permission = recording && permissionOf(recording, reader);
      return recording && permission && !recording.inBin
        ? [{ fileId, ownerId: recording.owner.userId, title: recording.title, permission, masks: recording.masks }]
        : [];
    }),
  }));
  return {
    add: (segments: InsightSegment[], more: Partial<Recording> = {}): Recording => {
      const recording: Recording = {
        fileId: randomUUID(),
        owner: newUser(),
        title: 'Weekly',
        tags: [],
        language: 'en',
        transcriptVersion: 1,
        segments,
        withheld: false,
        masks: [],
        inBin: false,
        readers: new Map(),
        ...more,
      };
      recordings.set(recording.fileId, recording);
      return recording;
    },
    remove: (fileId: string): void => void recordings.delete(fileId),
  };
}

function permissionOf(
  { owner, readers }: Recording,
  reader: { userId: string; role: Role },
): ReadableFile['permission'] | undefined {
  return owner.userId === reader.userId || reader.role !== 'user' ? 'owner' : readers.get(reader.userId);
}
