import { importLive, presenceLive, summaryLive, transcriptionLive } from '@overtone/contracts';
import { periodic, type Bus, type Slice } from '@overtone/service-kit';
import type { Audience } from '../audience/audience.ts';
import { createDelivery, type Receivers } from './delivery.ts';
import { createEventsTail } from './events.adapter.ts';
import type { Live, Replay } from './feed.ts';
import { createProgress } from './progress.ts';

/** A client that reconnects within a minute misses no event, even across a restart of the gateway. */
const lookBackMs = 90_000;

type FeedSlice = Slice & { latestProgress: (userId: string) => Live[] };
type Deps = {
  bus: Bus;
  audience: Audience;
  /** Called when events were missed that the audience depends on. */
  reloadAudience: () => void;
  replay: Replay;
  receivers: Receivers;
};

/** Pushes events and progress to the users that may see them. */
export function createFeedSlice({ bus, audience, reloadAudience, replay, receivers }: Deps): FeedSlice {
  const emit = (live: Live): void => receivers.progress([live.ownerId, ...audience.of(live.fileId)], live);
  const progress = createProgress({ emit });
  // A summary may be written while another stage of the file is in progress.
  const summaries = createProgress({ emit });
  const tail = createEventsTail({
    bus,
    lookBackMs,
    onBegin: (after) => {
      replay.reset(after);
      reloadAudience();
      receivers.resyncAll();
    },
    onEvent: createDelivery({ audience, replay, progress, summaries, receivers }),
  });
  const subscribeToProgress = async (): Promise<void> => {
    bus.subscribeLive(importLive.progress, ({ fileId, ownerId, receivedBytes, totalBytes }) => {
      const data = { file_id: fileId, received_bytes: receivedBytes, total_bytes: totalBytes };
      progress.push({ fileId, ownerId, message: { type: 'import_progress', data } });
    });
    bus.subscribeLive(transcriptionLive.fileProgress, ({ fileId, ownerId, etaSeconds, ...rest }) => {
      const { stage, progress: fraction, message } = rest;
      const data = { file_id: fileId, stage, progress: fraction, message, eta_seconds: etaSeconds };
      progress.push({ fileId, ownerId, message: { type: 'transcription_status', data } });
    });
    bus.subscribeLive(summaryLive.progress, ({ fileId, ownerId, version, sectionsDone, sectionsTotal, draft }) => {
      const data = { file_id: fileId, version, sections_done: sectionsDone, sections_total: sectionsTotal, draft };
      summaries.push({ fileId, ownerId, message: { type: 'summary_progress', data } });
    });
  };
  const subscribeToPresence = async (): Promise<void> => {
    bus.subscribeLive(presenceLive.reported, ({ fileId, ownerId, visitId, userId, name, segmentId, left }) => {
      const person = { uuid: userId, name };
      const data = { file_id: fileId, visit_id: visitId, person, segment_id: segmentId, left };
      const readers = new Set([ownerId, ...audience.of(fileId)]);
      readers.delete(userId);
      receivers.notify(readers, { type: 'presence', data });
    });
  };
  return {
    latestProgress: (userId) =>
      [progress, summaries].flatMap((source) => source.latestOf(userId, (fileId) => audience.of(fileId).has(userId))),
    parts: [
      { name: 'progress', start: subscribeToProgress, stop: async () => {} },
      { name: 'presence', start: subscribeToPresence, stop: async () => {} },
      tail,
    ],
    periodics: [
      periodic('prune old facts', 30_000, async () => {
        replay.prune(Date.now());
        progress.prune();
        summaries.prune();
      }),
    ],
  };
}
