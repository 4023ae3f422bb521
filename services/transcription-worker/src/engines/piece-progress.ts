/** Seconds of sound in pieces that a server has answered, and the wall time that it took. */
type Measured = { sound: number; wall: number };

/** Older pieces no longer count: a server becomes faster or slower. */
const remembered = 8;
/** A piece that was not answered is never shown as complete: its duration is not known. */
const mostOfPiece = 0.95;

/** How fast a server recognises; kept between recordings. */
export function createPace() {
  const pieces: Measured[] = [];
  return {
    add: (piece: Measured): void => {
      pieces.push(piece);
      if (pieces.length > remembered) pieces.shift();
    },
    /** Seconds of sound per second; null while nothing was measured. */
    soundPerSecond: (): number | null => {
      const [sound, wall] = [sumOf(pieces, 'sound'), sumOf(pieces, 'wall')];
      return wall > 0 ? sound / wall : null;
    },
  };
}

export type Pace = ReturnType<typeof createPace>;

function sumOf(pieces: readonly Measured[], key: keyof Measured): number {
  return pieces.reduce((sum, piece) => sum + piece[key], 0);
}

/**
 * The progress of a recording that is sent in pieces, from 0 to 1; it never decreases. A piece without an answer counts
 * by its time and the pace of earlier ones, and not at all while there is no pace.
 */
export function createPieceProgress({ seconds, pace, now }: { seconds: number; pace: Pace; now: () => number }) {
  const open = new Map<object, { length: number; since: number }>();
  let answered = 0;
  let highest = 0;
  return {
    /** @returns what to call when the piece was answered. */
    begin: (length: number): (() => void) => {
      const piece = {};
      const since = now();
      open.set(piece, { length, since });
      return () => {
        open.delete(piece);
        answered += length;
        pace.add({ sound: length, wall: Math.max(0.001, (now() - since) / 1000) });
      };
    },
    share: (): number => {
      const perSecond = pace.soundPerSecond() ?? 0;
      let done = answered;
      for (const { length, since } of open.values())
        done += Math.min(mostOfPiece * length, ((now() - since) / 1000) * perSecond);
      highest = Math.max(highest, Math.min(1, done / seconds));
      return highest;
    },
  };
}
