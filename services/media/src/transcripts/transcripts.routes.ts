import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Transcripts } from './transcripts.service.ts';

export function transcriptsRoutes({ transcripts }: { transcripts: Transcripts }): Route[] {
  return [
    handle(mediaRoutes.listSegments, ({ caller, params, query }) => transcripts.page(caller, params.uuid, query)),
    handle(mediaRoutes.editSegment, ({ caller, params, body }) =>
      transcripts.edit(caller, params.uuid, params.segment_uuid, body),
    ),
    handle(mediaRoutes.deleteSegment, ({ caller, params, query }) =>
      transcripts.remove(caller, params.uuid, params.segment_uuid, query.version),
    ),
    handle(mediaRoutes.setSegmentSpeaker, ({ caller, params, body }) =>
      transcripts.setSpeaker(caller, params.uuid, body.speaker_uuid),
    ),
  ];
}
