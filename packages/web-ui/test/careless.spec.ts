import { actCarelessly, actsFor } from './careless/acts.ts';
import { places, showWorld } from './careless/places.ts';
import { startSession, test } from './ring/ring.ts';

const actsPerPlace = 2;

test.describe('nothing typed is lost without a question', () => {
  for (const [at, place] of places.entries())
    for (const act of actsFor(place, at, actsPerPlace))
      test(`${place.name}, when a person ${act.name}`, async ({ page, api }) => {
        showWorld(api);
        await startSession(page, api);
        await actCarelessly({ page, api }, place, act);
      });
});
