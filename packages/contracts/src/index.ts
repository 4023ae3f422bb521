export * from './asr-providers.ts';
export * from './backup.ts';
export * from './bus-permissions.ts';
export * from './define.ts';
export * from './directory-sync-runs.ts';
export * from './directory-sync-rpc.ts';
export * from './directory-sync.ts';
export * from './engine-settings.ts';
export * from './errors.ts';
export * from './gpu.ts';
export * from './http.ts';
export * from './identity.ts';
export * from './identity-approvals.ts';
export * from './identity-audit.ts';
export * from './identity-auth-config.ts';
export * from './identity-erasure.ts';
export * from './identity-events.ts';
export * from './identity-explanation.ts';
export * from './identity-groups.ts';
export * from './identity-issuers.ts';
export * from './identity-mappings.ts';
export * from './identity-objects.ts';
export * from './identity-settings.ts';
export * from './identity-users.ts';
export * from './insights-ask.ts';
export * from './insights-jobs.ts';
export * from './insights-suggestions.ts';
export * from './insights-prompts.ts';
export * from './insights-providers.ts';
export * from './insights-rpc.ts';
export * from './insights-summaries.ts';
export * from './internal.ts';
export { asyncApi } from './asyncapi.ts';
export * from './media.ts';
export {
  codeColors,
  codeLimits,
  type CodeColor,
  type CodedPassage,
  type CodeListObject,
  type CodeObject,
  type CodingObject,
} from './media-codes.ts';
export { clipLimits, type ClipKind, type ClipObject } from './media-clips.ts';
export * from './media-collections.ts';
export * from './media-collections-rpc.ts';
export * from './media-events.ts';
export {
  commentLimits,
  commentSearchLimits,
  highlightColors,
  type CommentObject,
  type CommentThread,
  type FoundThread,
  type HighlightColor,
} from './media-comments.ts';
export { maxExportTemplates, type ExportTemplateObject } from './media-export-templates.ts';
export {
  maxWordTemplateBytes,
  maxWordTemplates,
  wordPlaceholders,
  type WordPlaceholder,
  type WordTemplateObject,
} from './media-word-templates.ts';
export type { SubtitleCheck, SubtitleIssue } from './media-exports.ts';
export { downloadJobs, importLease, importLive, importRpc } from './media-imports.ts';
export * from './media-labels.ts';
export { maxTermLength, maxVocabularyTerms, vocabularyRpc } from './media-vocabulary.ts';
export * from './media-insights.ts';
export * from './media-masked-audio.ts';
export * from './media-objects.ts';
export { presenceLive } from './media-presence.ts';
export * from './media-public-links.ts';
export * from './media-redaction.ts';
export * from './media-redaction-jobs.ts';
export { maxReplacePlaces, type FoundPlace, type TextSearch } from './media-replace.ts';
export { retentionGroup, retentionReasons, retentionRemovals, type RetentionConditions } from './media-retention.ts';
export * from './media-transcript-import.ts';
export {
  maxSegmentText,
  operationKinds,
  type CorrectionResult,
  type TranscriptOperation,
} from './media-transcripts.ts';
export { uploadOptions } from './media-uploads.ts';
export { maxDifferences, maxNamedVersions, type VersionDifference } from './media-versions.ts';
export {
  watchDecisions,
  watchKeySettings,
  watchSourceSettings,
  type WatchDecisionKind,
  type WatchSourceInput,
  type WatchSourceSettings,
} from './media-watch.ts';
export { voiceSettings, type SpeakerProfile, type VoiceOccurrence, type VoiceSuggestion } from './media-voices.ts';
export { openApi } from './openapi.ts';
export * from './models.ts';
export * from './notifications.ts';
export * from './operations.ts';
export * from './operations-queues.ts';
export * from './operations-tasks.ts';
export * from './queue-limits.ts';
export * from './realtime.ts';
export * from './search.ts';
export * from './search-retrieval.ts';
export { reindexLimits, reindexRoutes, reindexScopes } from './search-reindex.ts';
export {
  savedSearchLimits,
  savedSearchQuery,
  savedSearchRoutes,
  type SavedSearch,
  type SavedSearchQuery,
} from './search-saved.ts';
export { speakerIndexRoutes, type SpeakerIndexAnswer } from './search-speaker-index.ts';
export * from './settings.ts';
export * from './system.ts';
export * from './topology.ts';
export * from './transcription.ts';
export * from './voices.ts';
export * from './transcription-claims.ts';
export * from './transcription-events.ts';
export * from './transcription-jobs.ts';
