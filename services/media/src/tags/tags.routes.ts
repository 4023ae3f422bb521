import { mediaRoutes } from '@overtone/contracts';
import { handle, notFound, type Route } from '@overtone/service-kit';
import type { Tags } from './tags.service.ts';

export function tagsRoutes({ tags }: { tags: Tags }): Route[] {
  return [
    handle(mediaRoutes.listTags, ({ caller }) => tags.list(caller)),
    handle(mediaRoutes.createTag, ({ caller, body }) => tags.create(caller, body.name)),
    handle(mediaRoutes.unusedTags, ({ caller }) => tags.unused(caller)),
    handle(mediaRoutes.tagsOfFiles, ({ caller, query }) => tags.ofFiles(caller, query.file_uuid)),
    handle(mediaRoutes.attachTag, ({ caller, params, body }) => tags.attach(caller, params.uuid, body.name)),
    handle(mediaRoutes.detachTag, async ({ caller, params }) => {
      if (!(await tags.clearTag(caller, params.uuid, params.tag_name)))
        throw notFound('The file does not carry this tag.');
      return undefined;
    }),
  ];
}
