import { binRoutes } from './media-bin.ts';
import { bulkRoutes } from './media-bulk.ts';
import { contentRoutes } from './media-content.ts';
import { importRoutes } from './media-imports.ts';
import { fileRoutes } from './media-files.ts';
import { redactionRoutes } from './media-redaction.ts';
import { sharingRoutes } from './media-sharing.ts';
import { tagRoutes } from './media-tags.ts';
import { transcriptRoutes } from './media-transcripts.ts';
import { uploadRoutes } from './media-uploads.ts';

/** All routes of media, in the order of their description. */
export const mediaRoutes = {
  ...uploadRoutes,
  ...binRoutes,
  ...bulkRoutes,
  ...fileRoutes,
  ...sharingRoutes,
  ...contentRoutes,
  ...transcriptRoutes,
  ...importRoutes,
  ...tagRoutes,
  ...redactionRoutes,
};
