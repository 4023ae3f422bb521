export { entryOf, modelBytes, readCatalogue, transferBytes, type CatalogueEntry } from './catalogue.ts';
export { ModelError, type ModelErrorCode } from './errors.ts';
export { importModel, verifyAsTask, verifyModel, type VerifyResult } from './import.ts';
export {
  manifestFromNames,
  manifestSchema,
  rolesOf,
  type Manifest,
  type ModelFamily,
  type ModelKind,
  modelKinds,
  type Precision,
  sherpaFamilies,
  speechKinds,
  textFamilies,
  textKinds,
  type TextKind,
} from './manifest.ts';
export { findPlace, listPlaces, type ModelPlace } from './model-folder.ts';
export { fetchPauseMs, fetchSpeech, planSpeech, speechModelSetting, type SpeechPlan } from './fetch-speech.ts';
export { defaultPythons, pullModel } from './pull.ts';
export { personLabels } from './text-config.ts';
export { listModelFiles } from './files.ts';
export { removeModel } from './remove.ts';
export { readTasks, type TaskStatus } from './task-status.ts';
export {
  expectedOf,
  findDifference,
  notVerified,
  readVerification,
  recordVerification,
  verificationFault,
  verificationFile,
} from './verification.ts';
export { suggestModel, suitableModels, type Machine, type Suggestion } from './suggestion.ts';
export {
  fetchedPercent,
  markSpeechModelAwaited,
  isSpeechModelAwaited,
  readSpeechSetup,
  trackSpeechSetup,
  type SpeechSetup,
} from './speech-setup.ts';
export { readMachine } from './machine.ts';
export { listInstalled, type InstalledModel } from './installed.ts';
export { readEvaluation, writeEvaluation, type Evaluation } from './evaluation.ts';
export { collarSeconds, score, type Recognition } from './evaluate.ts';
export { countErrors, normaliseWords } from './scoring.ts';
export { readLabelledSet, type LabelledRecording } from './labelled-set.ts';
