import { mediaRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { createClips, type ClipsDeps } from './clips.service.ts';

/** Parts of recordings as sound or video files. */
export function createClipsSlice(deps: ClipsDeps): Slice {
  const clips = createClips(deps);
  return {
    routes: [
      handle(mediaRoutes.requestClip, (request) => clips.request(actorOf(request), request.params.uuid, request.body)),
      handle(mediaRoutes.clip, (request) =>
        clips.read(actorOf(request), request.params.uuid, request.params.clip_uuid),
      ),
      handle(mediaRoutes.clipContent, (request) =>
        clips.send(actorOf(request), request.params.uuid, request.params.clip_uuid, request),
      ),
    ],
  };
}
