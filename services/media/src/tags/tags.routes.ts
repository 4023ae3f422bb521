import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Tags } from './tags.service.ts';

export const tagsRoutes = ({ tags }: { tags: Tags }): Route[] => [
  handle(mediaRoutes.listTags, ({ caller }) => tags.list(caller)),
  handle(mediaRoutes.createTag, ({ caller, body }) => tags.create(caller, body.name)),
  handle(mediaRoutes.unusedTags, ({ caller }) => tags.unused(caller)),
  handle(mediaRoutes.attachTag, ({ caller, params, body }) => tags.attach(caller, params.uuid, body.name)),
  handle(mediaRoutes.detachTag, ({ caller, params }) => tags.detach(caller, params.uuid, params.tag_name)),
];
