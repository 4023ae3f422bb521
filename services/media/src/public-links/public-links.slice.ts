import { identityEvents, mediaRoutes, type PublicView } from '@overtone/contracts';
import {
  consumer,
  handle,
  handled,
  periodic,
  reply,
  type Reply,
  type RouteRequest,
  type Slice,
} from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { SendObject } from '../streaming/streaming.ts';
import { grantCookie } from './public-links.ts';
import { createPublicLinks, type PublicLinksDeps } from './public-links.service.ts';
import { deleteEnded } from './public-links.store.ts';
import { createPublicView, type PublicViewDeps, type Visit } from './public-view.service.ts';

type Deps = PublicLinksDeps & PublicViewDeps & { sendObject: SendObject };
type Received = Pick<RouteRequest<never>, 'origin' | 'req'>;

const hour = 3_600_000;

/** No copy of an answer stays anywhere, no address leaves the page, and no search engine keeps it. */
const publicHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
};

/** Public links: one recording for people without an account, read only, with an end date and a password. */
export function createPublicLinksSlice(deps: Deps): Slice {
  const { db, keyRing, sendObject } = deps;
  const links = createPublicLinks(deps);
  const shown = createPublicView(deps);
  const grant = ({ origin }: Received, linkId: string): Record<string, string> => ({
    ...publicHeaders,
    'Set-Cookie': grantCookie(keyRing(), linkId, { now: Date.now(), secure: origin.scheme.startsWith('https') }),
  });
  const granted = (request: Received, view: PublicView): Reply<PublicView> =>
    reply(view, { headers: grant(request, view.uuid) });

  return {
    routes: [
      handle(mediaRoutes.publicLinkSettings, links.showSettings),
      handle(mediaRoutes.updatePublicLinkSettings, (request) => links.changeSettings(actorOf(request), request.body)),
      handle(mediaRoutes.listPublicLinks, ({ caller, params }) => links.list(caller, params.uuid)),
      handle(mediaRoutes.createPublicLink, async (request) =>
        reply(await links.create(actorOf(request), request.params.uuid, request.body), {
          headers: { 'Cache-Control': 'no-store' },
        }),
      ),
      handle(mediaRoutes.revokePublicLink, (request) =>
        links.revoke(actorOf(request), request.params.uuid, request.params.link_uuid),
      ),
      handle(mediaRoutes.openPublicLink, async (request) => {
        const opened = await shown.open(request.body.token);
        return reply(opened, { headers: opened.view ? grant(request, opened.view.uuid) : publicHeaders });
      }),
      handle(mediaRoutes.unlockPublicLink, async (request) =>
        granted(request, await shown.unlock(request.body.token, request.body.password)),
      ),
      handle(mediaRoutes.publicLink, async (request) => granted(request, await shown.view(visitOf(request)))),
      handle(mediaRoutes.publicSegments, async (request) =>
        reply(await shown.segments(visitOf(request), request.query), { headers: publicHeaders }),
      ),
      handle(mediaRoutes.publicSummary, async (request) =>
        reply(await shown.summary(visitOf(request)), { headers: publicHeaders }),
      ),
      handle(mediaRoutes.publicRecording, async (request) => {
        const played = await shown.recording(visitOf(request));
        await sendObject(request, played.key, {
          ...publicHeaders,
          'Content-Type': played.contentType,
          // Without a name: that of the file is not shared.
          'Content-Disposition': 'inline',
          'Content-Security-Policy': "default-src 'none'; media-src 'self'; frame-ancestors 'none'; sandbox",
        });
        return handled;
      }),
    ],
    consumers: [
      /** An account was disabled: ends the links that it has created. */
      consumer(identityEvents.userDisabled, 'end-links', ({ userId }) => links.endLinksOf(userId)),
    ],
    periodics: [periodic('delete ended public links', hour, () => deleteEnded(db))],
  };
}

function visitOf({ params, req }: { params: { uuid: string } } & Pick<Received, 'req'>): Visit {
  return { linkId: params.uuid, cookies: req.get('cookie') };
}
