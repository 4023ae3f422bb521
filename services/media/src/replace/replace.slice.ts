import { mediaRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { createTextFinder } from './find.adapter.ts';
import { createReplacing } from './replace.service.ts';

type Deps = Omit<Parameters<typeof createReplacing>[0], 'finder'>;

/** Find and replace in transcripts. */
export function createReplaceSlice(deps: Deps): Slice {
  const replacing = createReplacing({ ...deps, finder: createTextFinder() });
  return {
    routes: [
      handle(mediaRoutes.findText, ({ caller, body, signal }) => replacing.find(caller, body, signal)),
      handle(mediaRoutes.replaceText, ({ caller, body, signal }) => replacing.replace(caller, body, signal)),
      handle(mediaRoutes.undoReplacement, ({ caller, params, body }) =>
        replacing.undo(caller, params.uuid, body.file_uuids),
      ),
    ],
  };
}
