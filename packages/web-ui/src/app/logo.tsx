/** The mark: a tone and its overtones, each with more waves in the same width. */
export const LogoMark = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9" fill="var(--ot-accent)" />
    <g stroke="var(--ot-surface)" strokeWidth="2.2" strokeLinecap="round">
      <path d="M5.5 21.5c4-11 6.5-11 10.5-5.5s6.5 5.5 10.5-5.5" />
      <path d="M5.5 16c1.8-4.5 3.4-4.5 5.2 0s3.5 4.5 5.3 0 3.4-4.5 5.2 0 3.5 4.5 5.3 0" opacity=".5" />
    </g>
  </svg>
);

export const Wordmark = () => (
  <span className="ot-wordmark">
    <LogoMark />
    <span className="ot-wordmark-text">Overtone</span>
  </span>
);
