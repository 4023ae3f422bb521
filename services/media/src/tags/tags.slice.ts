import { mediaRoutes } from '@overtone/contracts';
import { handle, notFound, type Slice } from '@overtone/service-kit';
import { createTags, type Tags, type TagsDeps } from './tags.service.ts';

/** Tags belong to one user and are invisible to all others. */
export function createTagsSlice(dependencies: TagsDeps): Slice & { tags: Tags } {
  const tags = createTags(dependencies);
  return {
    tags,
    // Of earlier releases: no address names them, so that they cannot be removed.
    parts: [{ name: 'tags named as steps of a path', start: tags.removePathSteps, stop: async () => {} }],
    routes: [
      handle(mediaRoutes.listTags, ({ caller }) => tags.list(caller)),
      handle(mediaRoutes.createTag, ({ caller, body }) => tags.create(caller, body.name)),
      handle(mediaRoutes.unusedTags, ({ caller }) => tags.unused(caller)),
      handle(mediaRoutes.tagsOfFiles, ({ caller, query }) => tags.ofFiles(caller, query.file_uuid)),
      handle(mediaRoutes.attachTag, ({ caller, params, body }) => tags.attach(caller, params.uuid, body.name)),
      handle(mediaRoutes.detachTag, async ({ caller, params }) => {
        const removed = await tags.detach(caller, params.uuid, params.tag_name);
        if (!removed) throw notFound('The file does not carry this tag.');
        return undefined;
      }),
    ],
  };
}
