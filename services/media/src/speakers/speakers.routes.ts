import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Speakers } from './speakers.service.ts';

export function speakersRoutes({ speakers }: { speakers: Speakers }): Route[] {
  return [
    handle(mediaRoutes.listSpeakers, ({ caller, query }) => speakers.list(caller, query.file_uuid)),
    handle(mediaRoutes.createSpeaker, ({ caller, query, body }) =>
      speakers.create(caller, query.media_file_uuid, body.display_name),
    ),
    handle(mediaRoutes.updateSpeaker, ({ caller, params, body }) =>
      speakers.rename(caller, params.uuid, body.display_name),
    ),
    handle(mediaRoutes.mergeSpeaker, ({ caller, params }) => speakers.merge(caller, params.uuid, params.target_uuid)),
    handle(mediaRoutes.deleteSpeaker, ({ caller, params }) => speakers.remove(caller, params.uuid)),
  ];
}
