import { abandonment } from './abandonment.e2e.ts';
import { authorisation } from './authorisation/authorisation.e2e.ts';
import { badInputs } from './bad-input.e2e.ts';
import { badUploads } from './bad-uploads.e2e.ts';
import { inTheBrowser } from './browser.e2e.ts';
import { maxUploadBytes, numberFrom, useProduct } from './context.ts';
import { lifecycle } from './lifecycle.e2e.ts';
import { mainJob } from './main-job.e2e.ts';
import { peopleInTheBrowser } from './people-browser.e2e.ts';
import { push } from './push.e2e.ts';
import { endedSessions } from './sessions.e2e.ts';
import { settingsInTheBrowser } from './settings-browser.e2e.ts';
import { slowClients } from './slow-clients.e2e.ts';
import { registerSuites } from './suite.ts';
import { syncInTheBrowser } from './sync-browser.e2e.ts';
import { leavingAccounts } from './sync.e2e.ts';
import { tenHours } from './ten-hours.e2e.ts';

// What people do with the product, and bad input.
const { context, evidence } = useProduct();
registerSuites(
  [
    mainJob(context),
    inTheBrowser(context),
    peopleInTheBrowser(context),
    settingsInTheBrowser(context),
    syncInTheBrowser(context),
    tenHours(context),
    push(context),
    badUploads(context, maxUploadBytes),
    abandonment(context, numberFrom('OT_ABANDON_CASES', 3)),
    slowClients(context, numberFrom('OT_SLOW_CLIENTS', 300)),
    authorisation(context),
    endedSessions(context),
    leavingAccounts(context),
    // Its requests create and change accounts, so it runs after the suites that count them.
    badInputs(context),
    // It kills and restarts the instance.
    lifecycle(context),
  ],
  evidence,
);
