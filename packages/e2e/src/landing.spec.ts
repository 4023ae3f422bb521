import { apiExamples } from './api-examples.e2e.ts';
import { askInTheBrowser } from './ask-browser.e2e.ts';
import { withRealEngine } from './asr-providers.ts';
import { authorisation } from './authorisation/authorisation.e2e.ts';
import { backupsInTheBrowser } from './backups-browser.e2e.ts';
import { inTheBrowser } from './browser.e2e.ts';
import { collectionsInTheBrowser } from './collections-browser.e2e.ts';
import { useLanding } from './context.ts';
import { enginesInTheBrowser } from './engines-browser.e2e.ts';
import { languageModelsInTheBrowser } from './language-models-browser.e2e.ts';
import { libraryInTheBrowser } from './library-browser.e2e.ts';
import { lifecycle } from './lifecycle.e2e.ts';
import { mainJob } from './main-job.e2e.ts';
import { modelsInTheBrowser } from './models-browser.e2e.ts';
import { peopleInTheBrowser } from './people-browser.e2e.ts';
import { promptsInTheBrowser } from './prompts-browser.e2e.ts';
import { publicLinksInTheBrowser } from './public-links-browser.e2e.ts';
import { queuesInTheBrowser } from './queues-browser.e2e.ts';
import { redactionInTheBrowser } from './redaction-browser.e2e.ts';
import { retentionInTheBrowser } from './retention-browser.e2e.ts';
import { searchInTheBrowser } from './search-browser.e2e.ts';
import { settingsInTheBrowser } from './settings-browser.e2e.ts';
import { speakerDecisionsInTheBrowser } from './speaker-decisions-browser.e2e.ts';
import { landingPart, registerSuites } from './suite.ts';
import { suggestionsInTheBrowser } from './suggestions-browser.e2e.ts';
import { summariesInTheBrowser } from './summaries-browser.e2e.ts';
import { syncInTheBrowser } from './sync-browser.e2e.ts';
import { transcriptImportInTheBrowser } from './transcript-import-browser.e2e.ts';
import { urlImportInTheBrowser } from './url-import-browser.e2e.ts';
import { watchInTheBrowser } from './watch-browser.e2e.ts';

// One whole product for `./overtone test`: the main job, a good and a refused path of each page, the table of authorisation.
const { context, evidence } = useLanding();
registerSuites(
  [
    withRealEngine(context, mainJob(context)),
    withRealEngine(context, inTheBrowser(context)),
    queuesInTheBrowser(context),
    languageModelsInTheBrowser(context),
    peopleInTheBrowser(context),
    settingsInTheBrowser(context),
    syncInTheBrowser(context),
    libraryInTheBrowser(context),
    collectionsInTheBrowser(context),
    urlImportInTheBrowser(context),
    transcriptImportInTheBrowser(context),
    searchInTheBrowser(context),
    suggestionsInTheBrowser(context),
    speakerDecisionsInTheBrowser(context),
    promptsInTheBrowser(context),
    summariesInTheBrowser(context),
    askInTheBrowser(context),
    backupsInTheBrowser(context),
    enginesInTheBrowser(context),
    watchInTheBrowser(context),
    modelsInTheBrowser(context),
    retentionInTheBrowser(context),
    publicLinksInTheBrowser(context),
    redactionInTheBrowser(context),
    authorisation(context),
    apiExamples(context),
    lifecycle(context),
  ].map(landingPart),
  evidence,
);
