import { accuracyRoutes } from './media-accuracy.ts';
import { binRoutes } from './media-bin.ts';
import { bulkRoutes } from './media-bulk.ts';
import { clipRoutes } from './media-clips.ts';
import { collectionRoutes } from './media-collections.ts';
import { codeRoutes } from './media-codes.ts';
import { commentRoutes } from './media-comments.ts';
import { contentRoutes } from './media-content.ts';
import { exportTemplateRoutes } from './media-export-templates.ts';
import { exportRoutes } from './media-exports.ts';
import { fileRoutes } from './media-files.ts';
import { importRoutes } from './media-imports.ts';
import { publicLinkRoutes } from './media-public-links.ts';
import { quarantineRoutes } from './media-quarantine.ts';
import { presenceRoutes } from './media-presence.ts';
import { redactionRoutes } from './media-redaction.ts';
import { replaceRoutes } from './media-replace.ts';
import { retentionRoutes } from './media-retention.ts';
import { sharingRoutes } from './media-sharing.ts';
import { tagRoutes } from './media-tags.ts';
import { transcriptImportRoutes } from './media-transcript-import.ts';
import { transcriptRoutes } from './media-transcripts.ts';
import { uploadRoutes } from './media-uploads.ts';
import { versionRoutes } from './media-versions.ts';
import { vocabularyRoutes } from './media-vocabulary.ts';
import { voiceRoutes } from './media-voices.ts';
import { watchRoutes } from './media-watch.ts';
import { wordTemplateRoutes } from './media-word-templates.ts';

/** All routes of media, in the order of their description. */
export const mediaRoutes = {
  ...uploadRoutes,
  ...importRoutes,
  ...binRoutes,
  ...bulkRoutes,
  ...fileRoutes,
  ...quarantineRoutes,
  ...sharingRoutes,
  ...publicLinkRoutes,
  ...contentRoutes,
  ...clipRoutes,
  ...exportRoutes,
  ...exportTemplateRoutes,
  ...wordTemplateRoutes,
  ...transcriptRoutes,
  ...codeRoutes,
  ...commentRoutes,
  ...presenceRoutes,
  ...versionRoutes,
  ...accuracyRoutes,
  ...replaceRoutes,
  ...vocabularyRoutes,
  ...transcriptImportRoutes,
  ...tagRoutes,
  ...collectionRoutes,
  ...retentionRoutes,
  ...redactionRoutes,
  ...watchRoutes,
  ...voiceRoutes,
};
